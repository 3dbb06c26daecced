import path from 'node:path';
import { targetHead } from '@baton/janitor';
import type { Clone } from '@baton/spawner';
import type { WorkerContext } from './context.ts';

/** By clone and target: the head that the clone holds in full, because it was fetched, or made there and landed. */
const complete = new WeakMap<Clone, Map<string, string>>();

/**
 * The target's head at this moment, with all that leads to it present in the clone. Nothing is fetched when the head is the one that
 * the clone is known to have. That the commit alone can be read there would prove nothing: a fetch that was cut off may leave it behind.
 */
export async function freshHead(
  ctx: Pick<WorkerContext, 'git'>,
  { clone, location, target }: { clone: Clone; location: string; target: string },
): Promise<string> {
  const known = complete.get(clone)?.get(target);
  if (known !== undefined && path.isAbsolute(location)) {
    const head = await targetHead({ git: ctx.git, repo: location, clone: clone.path, target });
    if (head === known) return head;
  }
  const fetched = await clone.fetchTarget(target);
  noteHead(clone, { target, commit: fetched });
  return fetched;
}

/** Notes that the head of a target is a commit that was made in this clone. */
export function noteHead(clone: Clone, { target, commit }: { target: string; commit: string }): void {
  const heads = complete.get(clone) ?? new Map<string, string>();
  complete.set(clone, heads.set(target, commit));
}
