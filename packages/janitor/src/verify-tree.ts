import type { CheckResult, Clock, CompletionSignal, Exec, Gate, Git, Verdict } from '@baton/contracts';
import { BatonError } from '@baton/contracts';
import { builtinChecks } from './checks/builtin-checks.ts';
import type { CheckContext } from './checks/check-context.ts';
import { isAsked, plannedGates } from './checks/gate-checks.ts';
import type { PlannedCheck } from './checks/planned-check.ts';
import { runCheck } from './checks/run-check.ts';
import { signalChecks } from './checks/signal-checks.ts';
import { gitLine, resolve } from './run-git.ts';
import type { ChangedPath } from './tamper/read-change.ts';

/** What is verified, by what, and with whose means. */
export interface VerifyOptions {
  exec: Exec;
  git: Git;
  clock: Clock;
  /** Absolute folder, checked out at the candidate, which no agent ever used; null: none, as {@link needsWorktree} allows. */
  worktree: string | null;
  /** Repository that holds the objects; default the worktree. */
  repo?: string;
  /** Tree that the verdict shall be bound to (or a commit of it). */
  tree: string;
  /** The target's head, which the candidate is a change to. */
  baseCommit: string;
  candidateCommit: string;
  /** Paths that the candidate changes; null when no change is judged but a base as it stands: then all gates run and no built-in check. */
  changedPaths: readonly string[] | null;
  /** The same change in full, as the candidate gives it; listed anew when left out. */
  changes?: readonly ChangedPath[];
  gates: readonly Gate[];
  signals: readonly CompletionSignal[];
  /** Names of gates whose red is reported but does not count. */
  allowRed: readonly string[];
  /** Attributes of the user's own repository (`.git/info/attributes`), absolute, which name filters too; null or absent: none. */
  attributesFile?: string | null;
  /** Complete environment of the commands. */
  env: Readonly<Record<string, string>>;
  /** Versions of the tools that decide; part of the cache key. */
  versions?: Readonly<Record<string, string>>;
  /** Answers an earlier result of a single command on this tree, by `checkKey`. */
  cache?: (key: string) => Promise<CheckResult | null>;
  /** Told of each result as it comes; `key` is null for what is not worth caching. */
  onCheck?: (result: CheckResult, key: string | null) => void | Promise<void>;
  /** Biggest file a change may add, in bytes; default 5 MiB. */
  maxFileBytes?: number;
  signal?: AbortSignal;
}

/**
 * Decides whether exactly this tree may land. Built-in checks first, then signals, then gates; all of them run, so that the next attempt
 * learns every reason at once. Fails closed: whatever goes wrong in a check is a "no" (landing.md, first line).
 * @throws INTERRUPTED when `signal` is aborted: then nothing was decided
 */
export async function verifyTree(options: VerifyOptions): Promise<Verdict> {
  const started = options.clock.monotonicMs();
  const repo = options.repo ?? options.worktree;
  if (repo === null) {
    throw new BatonError('INVALID_INPUT', 'There is neither a worktree nor a repository to verify in.', {
      fix: 'Pass `repo`, the folder that holds the objects.',
      at: 'repo',
    });
  }
  const tree = (await resolve(options.git, `${options.tree}^{tree}`, { cwd: repo })) ?? options.tree;
  const context: CheckContext = {
    ...options,
    repo,
    tree,
    changedPaths: options.changedPaths ?? [],
    signal: options.signal,
  };
  const checks: PlannedCheck[] = [
    { name: 'tree', kind: 'builtin', required: true, run: () => holdsTree(context) },
    ...(options.changedPaths === null ? [] : builtinChecks(context, options)),
    ...signalChecks(context, options),
    ...plannedGates(context, options),
  ];
  const results: CheckResult[] = [];
  let used = false;
  for (const check of checks) {
    const result = await runCheck(context, { check, cache: options.cache, used });
    used ||= check.runsCommand === true && !result.result.cached;
    if (options.signal?.aborted === true) throw interrupted(options.signal);
    results.push(result.result);
    await options.onCheck?.(result.result, result.key);
  }
  const failed = results.filter((result) => result.required && !result.passed);
  return {
    tree,
    passed: failed.length === 0,
    checks: whatDecided(results),
    results,
    reasons: failed.map((result) => `${result.kind} ${result.name}: ${result.reason}.`),
    durationMs: options.clock.monotonicMs() - started,
  };
}

/** Whether any of these checks runs a command: all others read the tree from the object database. */
export function needsWorktree(options: Pick<VerifyOptions, 'gates' | 'signals' | 'changedPaths'>): boolean {
  const { gates, signals, changedPaths } = options;
  return (
    signals.some(({ type }) => type === 'command_succeeds') ||
    gates.some((gate) => isAsked(gate, changedPaths))
  );
}

async function holdsTree(context: CheckContext): Promise<{ passed: boolean; reason: string }> {
  const { git, worktree: cwd, candidateCommit, repo } = context;
  const made = await gitLine(git, ['rev-parse', `${candidateCommit}^{tree}`], { cwd: repo });
  if (made !== context.tree) return { passed: false, reason: 'the candidate does not have this tree' };
  if (cwd === null) return { passed: true, reason: `verified ${context.tree}` };
  if ((await gitLine(git, ['rev-parse', 'HEAD^{tree}'], { cwd })) !== made)
    return { passed: false, reason: 'the worktree is not checked out at the candidate' };
  const changed = await gitLine(git, ['status', '--porcelain', '--untracked-files=no'], { cwd });
  if (changed === '') return { passed: true, reason: `verified ${context.tree}` };
  const paths = changed.split('\n').map((line) => line.slice(2).trim());
  return {
    passed: false,
    reason: `set-up altered tracked files, so this is not the tree that would land: ${paths.slice(0, 5).join(', ')}`,
  };
}

function whatDecided(results: readonly CheckResult[]): Verdict['checks'] {
  const applied = (kind: CheckResult['kind']): boolean =>
    results.some((result) => result.kind === kind && result.required && !isSkipped(result));
  if (applied('gate')) return applied('signal') ? 'signals+gates' : 'gates';
  return applied('signal') ? 'signals' : 'builtin';
}

function isSkipped(result: CheckResult): boolean {
  return result.reason.startsWith('not asked: ');
}

function interrupted(signal: AbortSignal): BatonError {
  return new BatonError('INTERRUPTED', 'Verification was stopped before it decided.', {
    cause: signal.reason,
    fix: 'Verify again.',
  });
}
