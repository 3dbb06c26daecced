import { checksHash, needsWorktree, writesTests } from '@baton/janitor';
import {
  BatonError,
  dependencyRulesOf,
  filesAreStrict,
  type CheckResult,
  type ErrorCode,
  type Verdict,
} from '@baton/contracts';
import type { SetUpName } from '@baton/spawner';
import type { LandingWork, TrustDecision } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { earlierChecks } from '../context/gate-memory.ts';
import { judgeTree, type CandidateTree, type Judged, type Questions } from '../verify/judge-tree.ts';
import type { RepoAccess } from '../context/repos.ts';
import { reviewChecks, treeSignals, withReviews } from '../review/review-checks.ts';
import { historyNote } from './candidate-of.ts';
import { confirmReds } from './confirm-reds.ts';
import { coverageCheck } from './coverage-check.ts';
import { runsWithFewerTests } from './fewer-tests.ts';
import { dependencyCheck } from './dependency-check.ts';
import { redGreenCheck } from './red-green.ts';
import { tamperChecks } from './tamper-checks.ts';

/** Name of the recorded evidence on which the agent was let land, or was not. */
const trustCheckName = 'trust';

/** What a task comes to: the verdict on the tree that would land, which gates that `may_write` may have had a part in. */
export interface VerifiedCandidate {
  id: string;
  verdict: Verdict;
  trust: TrustDecision;
  candidate: CandidateTree;
}

/** What is to be verified. */
interface Verification {
  work: LandingWork;
  repo: RepoAccess;
  candidate: CandidateTree;
  /** Gates that were red on it together with what has landed since. */
  redTogether?: readonly string[] | undefined;
}

/** Answers the stored yes for exactly this tree and these checks, or verifies it where nothing else ever wrote. */
export async function verifyCandidate(
  ctx: WorkerContext,
  { work, repo, candidate: start, redTogether = [] }: Verification,
): Promise<VerifiedCandidate> {
  const { run, task, attempt } = work;
  const signals = treeSignals(task.signals);
  const rules = dependencyRulesOf(run.routing);
  const hashFor = (setUp: string): string =>
    checksHash({
      gates: run.gates,
      signals,
      owned: ownedOf(work),
      allowRed: allowedReds(work),
      versions: {
        node: process.version,
        base: start.onto,
        workspace: JSON.stringify(run.workspace),
        setUp,
        ...(writesTests(task.role) ? { role: 'tests' } : {}),
        ...(start.asOne === undefined || start.asOne === null ? {} : { asOne: start.asOne }),
        ...(rules === null ? {} : { dependencies: JSON.stringify(rules) }),
      },
    });
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  const named = await nameOf(repo, { gates: run.gates, signals, candidate: start });
  const known =
    named === null || named.key === null
      ? null
      : await ctx.store.lanes.findVerdict({ tree: start.tree, checksHash: hashFor(named.key) });
  const judge = () =>
    judgeWork(ctx, {
      ...{ work, repo, candidate: start, named: named ?? undefined },
      asked: { gates: run.gates, signals },
    });
  const judged: Judged = known
    ? { candidate: start, verdict: cachedVerdict(known) }
    : await confirmReds(ctx, { work, repo, setUpKey: named?.key ?? null, redTogether, judge });
  // No state of files has such a name, so that nothing is ever taken again from a set-up that has none.
  const setUpKey = (known ? named?.key : judged.setUpKey) ?? `unnamed ${attempt.id}`;
  const hash = hashFor(setUpKey);
  const trust = await ctx.store.trust.of(attempt.id, 'land');
  const { candidate } = judged;
  const judgedByTree = {
    ...judged.verdict,
    results: [...withoutTrust(judged.verdict.results), trustCheck(trust)],
  };
  const verdict = withReviews(judgedByTree, reviewChecks(work));
  const id = await ctx.store.lanes.saveVerdict({ holding, checksHash: hash, verdict });
  return { id, verdict, trust, candidate };
}

/** The set-up that commands would be asked with; null: it cannot be named, and judging says why. */
export async function nameOf(
  repo: RepoAccess,
  { gates, signals, candidate }: Pick<Questions, 'gates' | 'signals'> & { candidate: CandidateTree },
): Promise<SetUpName | null> {
  const changedPaths = candidate.changes.map((change) => change.path);
  if (!needsWorktree({ gates, signals, changedPaths })) return noSetUp;
  try {
    return await repo.verifyPool.nameSetUp({ head: candidate.commit, onto: candidate.onto });
  } catch (error) {
    if (!BatonError.is(error) || !noes.includes(error.code)) throw error;
    return null;
  }
}

/** Nothing is run, so nothing is laid. */
const noSetUp: SetUpName = { setup: null, key: '' };

export function cachedVerdict(known: Verdict): Verdict {
  return { ...known, results: known.results.map((result) => ({ ...result, cached: true })) };
}

/** What the task owns, and whether it may change anything else: as the plan of its run says. */
function ownedOf({ task, run }: LandingWork): { files: string[]; strict: boolean } {
  return { files: task.files, strict: task.files.length === 0 || filesAreStrict(run.plan, task.key) };
}

/** Trust is of the one who made the tree, not of the tree: it is asked again for each attempt. */
function withoutTrust(results: readonly CheckResult[]): CheckResult[] {
  return results.filter((result) => result.name !== trustCheckName);
}

/** The evidence is kept with the verdict that it decided on. */
export function trustCheck({ allowed, text }: TrustDecision): CheckResult {
  return {
    name: trustCheckName,
    kind: 'builtin',
    required: false,
    passed: allowed,
    reason: text,
    durationMs: 0,
    cached: false,
  };
}

/** Judges the change of a task by some of its run's gates and of its signals, and by what Baton itself asks of it. */
export async function judgeWork(
  ctx: WorkerContext,
  {
    work,
    repo,
    candidate: start,
    asked,
    named,
  }: {
    work: LandingWork;
    repo: RepoAccess;
    candidate: CandidateTree;
    asked: Pick<Questions, 'gates' | 'signals'>;
    named?: SetUpName | undefined;
  },
): Promise<Judged> {
  // What a gate may write is not the agent's: its own change is what must keep to its files.
  const owned = { ...ownedOf(work), changedPaths: start.changes.map(({ path }) => path) };
  const questions = { ...asked, owned, allowRed: allowedReds(work), isChange: true };
  return orNo(start, async () => {
    const earlier = earlierChecks(ctx.gateMemory, {
      ...{ repoId: work.repo.id, workspace: work.run.workspace, setUpKey: named?.key ?? null },
    });
    const judged = await judgeTree(ctx, { repo, start, questions, named, earlier });
    const { candidate, verdict } = judged;
    const redGreen = verdict.passed
      ? await redGreenCheck(ctx, { work, repo, candidate: start, verdict })
      : null;
    const coverage = verdict.passed
      ? await coverageCheck(ctx, { run: work.run, repo, candidate, verdict })
      : null;
    const dependencies = await dependencyCheck(ctx, { work, repo, candidate });
    const own = [redGreen, coverage, dependencies, historyNote(start)].filter((result) => result !== null);
    const refusals = own.filter(({ required, passed: isGood }) => required && !isGood);
    const passed = verdict.passed && refusals.length === 0;
    const runs = passed ? await runsWithFewerTests(ctx, { run: work.run, repo, candidate, verdict }) : [];
    const tamper = await tamperChecks(ctx, { work, clone: repo.clone.path, candidate, passed, runs });
    const results = [...verdict.results, ...own, ...tamper];
    const reasons = [...verdict.reasons, ...refusals.map(reasonOf)];
    return { ...judged, verdict: { ...verdict, passed, results, reasons } };
  });
}

const reasonOf = ({ name, reason }: CheckResult): string => `${name}: ${reason}.`;

/** Names of the gates whose red does not count for a task. */
function allowedReds({ run, task }: LandingWork): string[] {
  return [...run.allowRed, ...task.allowRed];
}

/** A tree that cannot be judged at all is not passed. */
export async function orNo(start: CandidateTree, judge: () => Promise<Judged>): Promise<Judged> {
  try {
    return await judge();
  } catch (error) {
    if (!BatonError.is(error) || !noes.includes(error.code)) throw error;
    return { candidate: start, verdict: noVerdict(start.tree, error) };
  }
}

/** What keeps a tree from being judged at all, and will again: a "no", or its lane would wait for it without end. */
const noes: readonly ErrorCode[] = ['SETUP_FAILED', 'TREE_DISTURBED', 'PATH_OUTSIDE'];

function noVerdict(tree: string, { code, message, fix }: BatonError): Verdict {
  const reason = `${code}: ${message}${fix === undefined ? '' : ` ${fix}`}`;
  const result = { name: 'workspace', kind: 'builtin', required: true, passed: false } as const;
  return {
    tree,
    passed: false,
    checks: 'builtin',
    results: [{ ...result, reason, durationMs: 0, cached: false }],
    reasons: [reason],
    durationMs: 0,
  };
}
