import path from 'node:path';
import type { CheckPlace, PlaceRun, PlaceRunOptions, WorkspaceSetup } from '@baton/contracts';
import type { RepoFiles } from '@baton/testkit';
import { createVerifyPool, type IsolationWish } from '../../src/index.ts';
import { env } from './real.ts';
import { workspaces } from './workspaces.ts';

/** Both ways in which commands are kept apart. */
export const ways = ['overlay', 'copy'] as const satisfies IsolationWish[];

/** A user's repository with Baton's clone of it and a pool of places to verify in. */
export async function verifying(
  files: RepoFiles,
  { setup = null, isolation }: { setup?: WorkspaceSetup | null; isolation: IsolationWish },
) {
  const made = await workspaces(files, setup);
  const dir = path.join(made.state.path, 'worktrees', 'r1', 'verify-1');
  const pool = createVerifyPool({ ...made.poolOptions, dir, isolation });
  /** Commits files on the user's main branch and brings the commit into the clone. */
  const commit = async (change: RepoFiles): Promise<string> => {
    await made.repo.commit(change, 'change');
    return made.clone.fetchTarget('main');
  };
  return { ...made, verifyPool: pool, dir, commit };
}

/** Runs a line of shell in a place. */
export function sh(
  place: CheckPlace,
  line: string,
  options: Partial<PlaceRunOptions> = {},
): Promise<PlaceRun> {
  return place.run(['sh', '-c', line], { env, timeoutMs: 20_000, ...options });
}
