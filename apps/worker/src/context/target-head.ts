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

/**
 * The same without a look at a remote: the head that was last fetched from there or made here; null: none is known. No one waits for
 * the result of a look ahead, so that it is worth no connection.
 */
export async function headNearby(
  ctx: Pick<WorkerContext, 'git'>,
  place: { clone: Clone; location: string; target: string },
): Promise<string | null> {
  if (path.isAbsolute(place.location)) return freshHead(ctx, place);
  return complete.get(place.clone)?.get(place.target) ?? null;
}

/** Notes that the head of a target is a commit that was made in this clone. */
export function noteHead(clone: Clone, { target, commit }: { target: string; commit: string }): void {
  const heads = complete.get(clone) ?? new Map<string, string>();
  complete.set(clone, heads.set(target, commit));
}
