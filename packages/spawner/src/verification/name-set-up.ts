import { createHash } from 'node:crypto';
import type { WorkspaceSetup } from '@baton/contracts';
import { gitText } from '../git/git.ts';
import { sourcesState } from '../workspace/copy-sources.ts';
import { withIncluded } from '../workspace/worktree-include.ts';
import type { VerifyContext } from './place-files.ts';
import { setupKeyOf } from './setup-key.ts';

/** Which set-up a commit is judged with. */
export type SetUpName = { setup: null; key: '' } | NamedSetUp;

/** What names a set-up: the command, the tracked files that it reads, and the state of all that is copied. */
export interface NamedSetUp {
  /** With what `.worktreeinclude` names. */
  setup: WorkspaceSetup;
  /** Equal for equal set-ups; null: there is too much to copy to be looked at each time. */
  key: string | null;
  /** State of what is copied; null with `key`. */
  sources: string | null;
  /** Commit that it is made from. */
  from: string;
}

/**
 * Names the set-up of a commit. One that serves the target as well is named, and made, for both.
 *
 * @throws PATH_OUTSIDE, CONFIG_INVALID, GIT_FAILED
 */
export async function nameSetUp(
  given: VerifyContext,
  { head, onto }: { head: string; onto: string },
): Promise<SetUpName> {
  const { clone, sourceRoot } = given;
  const setup = await withIncluded(given.setup, { ...given, git: clone.git });
  if (setup === null) return { setup, key: '' };
  const [forHead, forTarget, sources] = await Promise.all([
    setupKeyOf(clone, setup, head),
    onto === head ? null : setupKeyOf(clone, setup, onto),
    sourcesState(setup, sourceRoot),
  ]);
  const isShared = forTarget === null || forTarget === forHead;
  const own = isShared ? '' : await gitText(clone.git, ['rev-parse', `${head}^{tree}`], { cwd: clone.path });
  const parts = JSON.stringify([forHead, sources, own]);
  const key = sources === null ? null : createHash('sha256').update(parts).digest('hex').slice(0, 32);
  return { setup, key, sources, from: isShared ? onto : head };
}
