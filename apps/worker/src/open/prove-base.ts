import type { CheckResult, Clock, Exec, Gate, Git, Log, WorkspaceSetup } from '@baton/contracts';
import type { IsolationWish } from '@baton/spawner';
import { adviceFor, judgeBase, lackText, remedyOf } from './base-look.ts';
import { createRepos } from '../context/repos.ts';

/** What is proven, and with whose means. */
export interface ProveBaseOptions {
  exec: Exec;
  git: Git;
  clock: Clock;
  log: Log;
  operatorEnv: Readonly<Record<string, string | undefined>>;
  isolation: IsolationWish;
  /** Absolute folder made for this alone; the caller removes it. */
  stateDir: string;
  /** Absolute top folder of the checkout. */
  root: string;
  commit: string;
  gates: readonly Gate[];
  workspace: WorkspaceSetup | null;
  /** Ends it. */
  signal: AbortSignal;
  /** Told of each result as it comes; the first, of the check `tree`, says that the worktree is set up. */
  onCheck: (result: CheckResult) => void;
}

/** What gates say to a commit before any work. */
export interface BaseProof {
  /** Every required gate is green. */
  passed: boolean;
  results: CheckResult[];
  /** What the worktree lacks that the checkout has, in sentences. */
  lacks: string[];
  /** What to do about it, as the beginning of a sentence; null: nothing is known. */
  remedy: string | null;
}

/**
 * Asks gates about a commit just as a run does before its first agent: in a worktree of a clone of its own, with its set-up.
 *
 * @throws SETUP_FAILED, REPO_INCOMPLETE, INTERRUPTED, TREE_DISTURBED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function proveBase(options: ProveBaseOptions): Promise<BaseProof> {
  const { root, commit, workspace, gates, signal, onCheck } = options;
  const repos = createRepos(options);
  try {
    const repo = await repos.open({ workspace }, { id: 'proof', location: root, host: '' });
    const base = await repo.clone.fetchTarget(commit);
    await repo.clone.requireComplete(base);
    const { verdict, setUp } = await judgeBase(
      { ...options, stopping: signal, onCheck },
      { repo, base, gates },
    );
    const advice = verdict.passed ? null : await adviceFor(options, { root, workspace, verdict, setUp });
    return {
      passed: verdict.passed,
      results: verdict.results,
      lacks: advice === null ? [] : lackText(advice),
      remedy: advice === null ? null : remedyOf(advice, workspace),
    };
  } finally {
    await repos.close();
  }
}
