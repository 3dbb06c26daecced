import { checksHash, listChangedPaths, signalName } from '@baton/janitor';
import { requestsInto, type CheckResult, type CompletionSignal, type Verdict } from '@baton/contracts';
import type { LandingWork, TrustDecision } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import { reviewChecks, treeSignals, withReviews } from '../review/review-checks.ts';
import { bringHead } from '../task/attempt-head.ts';
import { earlierChecks } from '../context/gate-memory.ts';
import { judgeTree, type CandidateTree } from '../verify/judge-tree.ts';
import { shortList } from '../verify/short-list.ts';
import { approvalReason } from './approval-reason.ts';
import { candidateOn, withEvidence } from './candidate-of.ts';
import type { Chain, Verified } from './land-chain.ts';
import { cachedVerdict, judgeWork, nameOf, orNo, trustCheck } from './verify-candidate.ts';

/** Work that lands with others, made on the one before it and judged but for its commands. */
export interface Member {
  work: LandingWork;
  candidate: CandidateTree;
  verdict: Verdict;
  trust: TrustDecision;
}

/** Two or more of one run, in their order. */
export type Members = readonly [Member, Member, ...Member[]];

/** Work that may land as one, and what has to land alone. */
export interface Train {
  /** Null: no two can land together. */
  members: Members | null;
  left: LandingWork[];
}

/** Name of the recorded note on what was judged together. */
const trainCheckName = 'train';

/**
 * Whether work can land with others of its run. What a person decides on, what Baton could not land before and what other gates than
 * those of its run decide on lands alone, and so does what somebody merges at a code host. So does all of a run with a gate that may write, since it could not be said whose work that
 * becomes, or that is about every commit or about tests without their work. Pure.
 */
export function mayJoin({ run, task, attempt, approved, missed }: LandingWork): boolean {
  const { startCommit, headCommit } = attempt;
  return (
    requestsInto(run.plan) === null &&
    !task.approval &&
    !approved &&
    !missed &&
    task.allowRed.length === 0 &&
    startCommit !== null &&
    headCommit !== null &&
    startCommit !== headCommit &&
    !run.gates.some(
      (gate) =>
        gate.may_write === true ||
        gate.every_commit === true ||
        gate.red_green === true ||
        gate.coverage !== undefined,
    )
  );
}

/**
 * Merges each work onto the one before it, the first onto `head`, and judges its own change. What cannot be read, conflicts, is
 * refused or wants a person is left out: it lands alone, and is judged there.
 * @throws GIT_FAILED
 */
export async function stackTrain(
  ctx: WorkerContext,
  { works, repo, head }: { works: readonly LandingWork[]; repo: RepoAccess; head: string },
): Promise<Train> {
  const members: Member[] = [];
  const left: LandingWork[] = [];
  for (const work of works) {
    const onto = members.at(-1)?.candidate.commit ?? head;
    const member = mayJoin(work) ? await memberOn(ctx, { work, repo, onto }) : null;
    if (member === null) left.push(work);
    else members.push(member);
  }
  const [first, second, ...others] = members;
  if (first === undefined || second === undefined) return { members: null, left: [...works] };
  return { members: [first, second, ...others], left };
}

async function memberOn(
  ctx: WorkerContext,
  { work, repo, onto }: { work: LandingWork; repo: RepoAccess; onto: string },
): Promise<Member | null> {
  if ((await bringHead(ctx, { repo: work.repo, clone: repo.clone, attempt: work.attempt })) !== null)
    return null;
  const made = await candidateOn(ctx, { work, repo, onto });
  if (made.kind === 'conflict' || made.candidate.commit === onto) return null;
  const { candidate } = made;
  const signals = treeSignals(work.task.signals).filter((signal) => !isCommand(signal));
  const judged = await judgeWork(ctx, { work, repo, candidate, asked: { gates: [], signals } });
  const verdict = withReviews(judged.verdict, reviewChecks(work));
  if (!verdict.passed) return null;
  const trust = await ctx.store.trust.of(work.attempt.id, 'land');
  if (approvalReason(work, { verdict, trust, patchId: '' }) !== null) return null;
  return { work, candidate, verdict, trust };
}

const isCommand = ({ type }: CompletionSignal): boolean => type === 'command_succeeds';

/** What was said of a train, and the name under which that may be used again: as long as head, tree and questions are the same. */
export interface JudgedTrain {
  verdict: Verdict;
  checksHash: string;
}

/**
 * Judges the tree of the last member: by the gates of the run, and by the signals of all but for those about one change. A yes on the
 * same tree is used again, so that a target that cannot be moved for now costs no gate a second time.
 * @throws INTERRUPTED, WORKSPACE_FAILED, STATE_UNWRITABLE, GIT_FAILED
 */
export async function judgeTrain(
  ctx: WorkerContext,
  { members, repo, head }: { members: Members; repo: RepoAccess; head: string },
): Promise<JudgedTrain> {
  const [{ work }] = members;
  const { candidate: last } = members.at(-1) ?? members[0];
  const { gates, allowRed, workspace } = work.run;
  const clone = repo.clone.path;
  const start: CandidateTree = {
    ...{ commit: last.commit, tree: last.tree, onto: head },
    changes: await listChangedPaths({ git: ctx.git, clone, from: head, to: last.commit }),
  };
  const signals = sharedSignals(members);
  const hashFor = (setUp: string): string => {
    const versions = { node: process.version, base: head, workspace: JSON.stringify(workspace), setUp };
    return checksHash({ gates, signals, allowRed, versions: { ...versions, of: 'train' } });
  };
  const named = await nameOf(repo, { gates, signals, candidate: start });
  if (named !== null && named.key !== null) {
    const hash = hashFor(named.key);
    const known = await ctx.store.lanes.findVerdict({ tree: start.tree, checksHash: hash });
    if (known !== null) return { verdict: withoutOwn(cachedVerdict(known)), checksHash: hash };
  }
  const questions = { gates, signals, allowRed, isChange: true };
  const earlier = earlierChecks(ctx.gateMemory, {
    ...{ repoId: work.repo.id, workspace, setUpKey: named?.key ?? null },
  });
  const judge = () => judgeTree(ctx, { repo, start, questions, named: named ?? undefined, earlier });
  const { verdict, setUpKey } = await orNo(start, judge);
  return { verdict, checksHash: hashFor(setUpKey ?? `unnamed ${work.attempt.id}`) };
}

/** Of a stored verdict, what was asked of the whole: the rest is about the member that it was stored for. */
function withoutOwn(verdict: Verdict): Verdict {
  return { ...verdict, results: verdict.results.filter(({ kind }) => kind !== 'builtin') };
}

function sharedSignals(members: Members): CompletionSignal[] {
  const all = members
    .flatMap(({ work }) => treeSignals(work.task.signals))
    .filter(({ type }) => type !== 'diff_within')
    .map((signal) => [JSON.stringify(signal), signal] as const);
  return [...new Map(all).values()];
}

/** Keeps the verdict of each member and makes the commits that land, whose texts say what they passed. @throws GIT_FAILED, LEASE_LOST */
export async function verifiedTrain(
  ctx: WorkerContext,
  {
    members,
    repo,
    judged: { verdict: whole, checksHash: hash },
  }: { members: Members; repo: RepoAccess; judged: JudgedTrain },
): Promise<Chain> {
  const kept = keptVerdicts(ctx, { runId: members[0].work.run.id, key: `${whole.tree} ${hash}` });
  const verified = async (member: Member, onto: string): Promise<Verified> => {
    const { work, candidate } = member;
    const { id: attemptId, fence } = work.attempt;
    const verdict = memberVerdict({ whole, member, mates: members.filter((each) => each !== member) });
    const verdictId =
      kept.get(attemptId) ??
      (await ctx.store.lanes.saveVerdict({ holding: { attemptId, fence }, checksHash: hash, verdict }));
    kept.set(attemptId, verdictId);
    const told = await withEvidence(ctx, { work, repo, candidate: { ...candidate, onto }, verdict });
    return { work, candidate: told, verdictId };
  };
  const [first, ...others] = members;
  let last = await verified(first, first.candidate.onto);
  let chain: Chain = [last];
  for (const member of others) {
    last = await verified(member, last.candidate.commit);
    chain = [...chain, last];
  }
  return chain;
}

/** Ids of the verdicts that were stored for the newest train of a run, by attempt: one that cannot move its target for hours needs no more. */
function keptVerdicts(
  ctx: WorkerContext,
  { runId, key }: { runId: string; key: string },
): Map<string, string> {
  const known = ctx.trainVerdicts.get(runId);
  if (known?.key === key) return known.ids;
  const ids = new Map<string, string>();
  ctx.trainVerdicts.set(runId, { key, ids });
  return ids;
}

/** What decided on a member: its own change by itself, and gates and its commands on the tree of the whole train. Pure. */
function memberVerdict({
  whole,
  member: { work, verdict: alone, trust },
  mates,
}: {
  whole: Verdict;
  member: Member;
  mates: readonly Member[];
}): Verdict {
  const together = `judged as one with ${shortList(mates.map((mate) => mate.work.task.key))}`;
  const note: CheckResult = {
    ...{ name: trainCheckName, kind: 'builtin', required: false, passed: true, reason: together },
    ...{ durationMs: 0, cached: false },
  };
  const own = new Set(alone.results.map(({ name }) => name));
  const commands = new Set(work.task.signals.filter(isCommand).map(signalName));
  const isShared = ({ kind, name }: CheckResult): boolean =>
    kind === 'gate' || (kind === 'signal' ? commands.has(name) : !own.has(name));
  return {
    ...{ tree: whole.tree, passed: true, checks: whole.checks, reasons: [], durationMs: whole.durationMs },
    results: [...alone.results, ...whole.results.filter(isShared), note, trustCheck(trust)],
  };
}
