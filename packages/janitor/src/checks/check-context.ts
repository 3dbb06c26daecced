import type { CheckPlace, Clock, Git } from '@baton/contracts';
import type { ChangedPath } from '../tamper/read-change.ts';

/** What every check works with: one tree, checked out in a worktree that no agent used. */
export interface CheckContext {
  git: Git;
  clock: Clock;
  /** Where commands run, laid at `candidateCommit`; null: no check may run a command. */
  place: CheckPlace | null;
  /** Repository that holds the objects. */
  repo: string;
  /** Tree id that the verdict is bound to. */
  tree: string;
  /** Commit that the candidate is compared with: the target's head. */
  baseCommit: string;
  candidateCommit: string;
  /** Paths that differ between the two. */
  changedPaths: readonly string[];
  /** The same in full; absent: not listed yet. */
  changes?: readonly ChangedPath[] | undefined;
  /** Attributes of the user's own repository (`.git/info/attributes`), absolute; null or absent: none. */
  attributesFile?: string | null | undefined;
  /** Complete environment of the commands. */
  env: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/** What one check found: a yes or no, why, and what it printed. */
export interface Finding {
  passed: boolean;
  /** One sentence, without the check's name. */
  reason: string;
  output?: string;
  /** Lines that were run, and all lines. */
  coverage?: { covered: number; total: number };
  /** Tests that passed and that were skipped, as the output says. */
  tests?: { passed: number; skipped: number };
  /** Id of the tree with what a gate that `may_write` changed: that has to be judged in place of this one. */
  wrote?: string;
}

/** Whether a path lies at or below a prefix; "." and "" are the whole repository. */
export function isBelow(path: string, prefix: string): boolean {
  const folder = prefix.replace(/^\.\//, '').replace(/\/+$/, '');
  return folder === '' || folder === '.' || path === folder || path.startsWith(`${folder}/`);
}
