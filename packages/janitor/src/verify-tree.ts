import type {
  CheckPlace,
  CheckResult,
  Clock,
  CompletionSignal,
  Exec,
  Gate,
  Git,
  Verdict,
} from '@baton/contracts';
import { BatonError } from '@baton/contracts';
import { checkVerifyOptions } from './check-options.ts';
import { builtinChecks } from './checks/builtin-checks.ts';
import type { CheckContext } from './checks/check-context.ts';
import { isAsked, plannedGates } from './checks/gate-checks.ts';
import type { OwnedFiles } from './checks/owned-files.ts';
import { plainPlace } from './checks/plain-place.ts';
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
  /** Where commands run, each on the candidate and its set-up alone. */
  place?: CheckPlace | null;
  /** In place of `place`: absolute folder, checked out at the candidate. Neither: no command can run, as {@link needsWorktree} allows. */
  worktree?: string | null;
  /** Repository that holds the objects; default the worktree. */
  repo?: string;
  /** Tree that the verdict is to be bound to (or a commit of it). */
  tree: string;
  /** The target's head, which the candidate is a change to. */
  baseCommit: string;
  candidateCommit: string;
  /** Paths that the candidate changes; null when no change is judged but a base as it is: then all gates run and no built-in check. */
  changedPaths: readonly string[] | null;
  /** The same change in full, as the candidate gives it; listed again when left out. */
  changes?: readonly ChangedPath[];
  gates: readonly Gate[];
  signals: readonly CompletionSignal[];
  /** Paths that the task owns, and whether a change elsewhere is refused; absent: everything may be changed. */
  owned?: OwnedFiles;
  /** Names of gates whose red is reported but does not count. */
  allowRed: readonly string[];
  /** Attributes of the user's own repository (`.git/info/attributes`), absolute, which name filters too; null or absent: none. */
  attributesFile?: string | null;
  /** Names of gates that `may_write` and have not done so yet; all of them when left out. */
  writers?: readonly string[];
  /**
   * Told when such a gate changed tracked files, with the id of the tree as it left it. The verdict is then a "no" for this tree:
   * what lands is the other one, so that has to be judged.
   */
  onWrite?: (written: { gate: string; tree: string }) => void;
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
 * learns every reason at once. Fails closed: whatever goes wrong in a check is a "no" (docs/spec/landing.md).
 * @throws INVALID_INPUT for what cannot be asked; INTERRUPTED when `signal` is aborted; WORKSPACE_FAILED, STATE_UNWRITABLE when a command has no place to run in (the disk is
 *   full, there is no folder for temporary files): then nothing was decided
 */
export async function verifyTree(options: VerifyOptions): Promise<Verdict> {
  checkVerifyOptions(options);
  const started = options.clock.monotonicMs();
  const worktree = options.worktree ?? null;
  const repo = options.repo ?? worktree;
  if (repo === null) {
    throw new BatonError('INVALID_INPUT', 'There is neither a worktree nor a repository to verify in.', {
      fix: 'Pass `repo`, the folder that holds the objects.',
      at: 'repo',
    });
  }
  const tree = (await resolve(options.git, `${options.tree}^{tree}`, { cwd: repo })) ?? options.tree;
  const context: CheckContext = {
    ...options,
    place: options.place ?? plainOf(options, worktree),
    repo,
    tree,
    changedPaths: options.changedPaths ?? [],
    signal: options.signal,
  };
  const checks: PlannedCheck[] = [
    { name: 'tree', kind: 'builtin', required: true, run: () => holdsTree(context, worktree) },
    ...(options.changedPaths === null ? [] : builtinChecks(context, options)),
    ...signalChecks(context, options),
    ...plannedGates(context, options),
  ];
  const results: CheckResult[] = [];
  let written = false;
  for (const check of checks) {
    const { result, key, wrote } = await runCheck(context, { check, cache: options.cache });
    if (options.signal?.aborted === true) throw interrupted(options.signal);
    results.push(result);
    await options.onCheck?.(result, wrote === null ? key : null);
    if (wrote === null) continue;
    written = true;
    options.onWrite?.({ gate: check.name, tree: wrote });
    break; // the rest is asked of the tree that it made
  }
  const failed = results.filter((result) => result.required && !result.passed);
  return {
    tree,
    passed: failed.length === 0 && !written,
    checks: whatDecided(results),
    results,
    reasons: failed.map(reasonOf),
    durationMs: options.clock.monotonicMs() - started,
  };
}

/** A check of Baton's own is named by itself: "diff", "secrets". */
const reasonOf = ({ kind, name, reason }: CheckResult): string =>
  `${kind === 'builtin' ? '' : `${kind} `}${name}: ${reason}.`;

/** Whether any of these checks runs a command: all others read the tree from the object database. */
export function needsWorktree(options: Pick<VerifyOptions, 'gates' | 'signals' | 'changedPaths'>): boolean {
  const { gates, signals, changedPaths } = options;
  return (
    signals.some(({ type }) => type === 'command_succeeds') ||
    gates.some((gate) => isAsked(gate, changedPaths))
  );
}

function plainOf(options: VerifyOptions, worktree: string | null): CheckPlace | null {
  if (worktree === null) return null;
  return plainPlace({ exec: options.exec, git: options.git, worktree, commit: options.candidateCommit });
}

async function holdsTree(
  context: CheckContext,
  cwd: string | null,
): Promise<{ passed: boolean; reason: string }> {
  const { git, place, baseCommit, candidateCommit, changedPaths, repo } = context;
  const made = await gitLine(git, ['rev-parse', `${candidateCommit}^{tree}`], { cwd: repo });
  if (made !== context.tree) return { passed: false, reason: 'the candidate does not have this tree' };
  if (candidateCommit === baseCommit && changedPaths.length > 0)
    return { passed: false, reason: 'the candidate is its own base, so no check sees what it changes' };
  if (place !== null && place.commit !== candidateCommit)
    return { passed: false, reason: 'the worktree is not laid at the candidate' };
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
