import { checksHash, type HostedRequest } from '@baton/janitor';
import type { Verdict } from '@baton/contracts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { holdRun } from '../open/hold-run.ts';
import { treeSignals } from '../review/review-checks.ts';
import { judgeTree } from '../verify/judge-tree.ts';
import { shortList } from '../verify/short-list.ts';
import type { LandingOutcome } from './land-task.ts';
import { noteOn, type Requested } from './note-request.ts';
import { rejectionReasons } from './rejection-reasons.ts';
import { orNo } from './verify-candidate.ts';

/** Work that somebody merged. */
interface Merged extends Requested {
  seen: HostedRequest;
  /** On the target. */
  commit: string;
}

/** A target that is red is asked about less often: its gates cost more than a look. */
const redTimes = 2;

/** What the target is worth at a commit. */
interface Looked {
  verdict: Verdict;
  checksHash: string;
}

/**
 * Closes the task of a pull request that was merged, if the target passes with it: at the commit that its host names, or at what the
 * target is by now. No ref is moved here; the intent names the commit that is on the target already. Else the run is held.
 */
export async function closeMerged(ctx: WorkerContext, merged: Merged): Promise<LandingOutcome> {
  const { work, head, commit } = merged;
  const isKnownRed = (work.request?.red ?? null) !== null;
  const places = isKnownRed ? [head] : [...new Set([commit, head])];
  let red: Verdict | null = null;
  for (const at of places) {
    const looked = await judgeMerged(ctx, { ...merged, at });
    if (looked.verdict.passed) return confirmMerged(ctx, { ...merged, looked });
    red = looked.verdict;
  }
  return red === null ? 'waits' : alarm(ctx, { ...merged, verdict: red });
}

/** All gates of the run and the signals of the task that are about the tree; a person has answered for the change itself. */
async function judgeMerged(ctx: WorkerContext, { work, repo, at }: Merged & { at: string }): Promise<Looked> {
  const { run, task } = work;
  const tree = (await ctx.git(['rev-parse', `${at}^{tree}`], { cwd: repo.clone.path })).stdout.trim();
  // What a gate would write is not on the target.
  const gates = run.gates.map((gate) => ({ ...gate, may_write: false }));
  const signals = treeSignals(task.signals).filter(({ type }) => type !== 'diff_within');
  const allowRed = [...run.allowRed, ...task.allowRed];
  const start = { commit: at, tree, onto: at, changes: [] };
  const questions = { gates, signals, allowRed, isChange: false };
  const judged = await orNo(start, () => judgeTree(ctx, { repo, start, questions }));
  const versions = {
    ...{ node: process.version, base: at, workspace: JSON.stringify(run.workspace) },
    ...{ setUp: judged.setUpKey ?? `unnamed ${work.attempt.id}`, of: 'pull request' },
  };
  return { verdict: judged.verdict, checksHash: checksHash({ gates, signals, allowRed, versions }) };
}

async function confirmMerged(
  ctx: WorkerContext,
  { held, work, commit, seen, looked }: Merged & { looked: Looked },
): Promise<LandingOutcome> {
  const holding = { attemptId: work.attempt.id, fence: work.attempt.fence };
  const verdictId = await ctx.store.lanes.saveVerdict({ holding, ...looked });
  const { id: workerId, host, pid, pidStarted } = ctx.worker;
  const landingIds = await ctx.store.lanes.writeIntents({
    lane: held.lane,
    members: [{ holding, verdictId, candidateCommit: commit }],
    fromCommit: commit,
    tree: looked.verdict.tree,
    holder: { workerId, host, pid, pidStarted, lockFiles: [] },
  });
  const [landingId] = landingIds ?? [];
  if (landingId === undefined) return 'lost';
  await ctx.store.lanes.confirm(landingId, { actor: actorOf(ctx) });
  ctx.log.info('a merged pull request is closed', { task: work.task.key, url: seen.url, commit });
  return 'landed';
}

/** Nothing more of the run begins until a person has made the target pass; the task is looked at again until then. */
async function alarm(
  ctx: WorkerContext,
  { verdict, ...merged }: Merged & { verdict: Verdict },
): Promise<LandingOutcome> {
  const { work, place, seen, commit } = merged;
  const { into, remote } = place;
  const [first = 'it does not pass', ...others] = verdict.results
    .filter(({ required, passed }) => required && !passed)
    .map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`);
  const red = shortList([first, ...others]);
  const isNew = work.request?.red !== red;
  const noted = await noteOn(ctx, merged, {
    ...{ state: 'merged', red, gives: true, lookInMs: ctx.timing.requestMs * redTimes },
  });
  if (!noted) return 'lost';
  const text = `${seen.url} of ${work.task.key} was merged as ${commit.slice(0, 9)}, and ${into} of ${remote.name} does not pass: ${red}.`;
  if (isNew) ctx.log.error('the target is red with a merged pull request', { task: work.task.key, text });
  if (isNew || work.run.status === 'running') {
    const said = rejectionReasons(verdict).slice(0, 3).join('\n');
    const fix = `Make ${into} of ${remote.name} pass with a further commit.`;
    await holdRun(ctx, { run: work.run, reason: `MERGED_RED: ${[text, said, fix].join('\n')}` });
  }
  return 'requested';
}
