import { BatonError, printableLine } from '@baton/contracts';
import { scopeTimeoutMs } from '@baton/router-cost';
import {
  agentEnvironment,
  commitTask,
  salvage,
  startTask,
  unresolvedFiles,
  type CommitTaskOptions,
  type TaskCommit,
  type TaskStart,
} from '@baton/spawner';
import type { ClaimedTask } from '@baton/task-store';
import { placeHead, publishSalvage } from './attempt-head.ts';
import { earlierWork } from './earlier-work.ts';
import { runAgentTask } from './run-agent.ts';
import { type AgentResult } from './agent-result.ts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { checkClone } from './check-clone.ts';
import { policiesOf } from '../context/policies.ts';
import { reviewTask } from './review-task.ts';
import { decideReport } from './report.ts';
import { agentAfter } from '../open/route-batch.ts';
import { shortList } from '../verify/short-list.ts';
import type { OpenBatch } from '../open/open-batch.ts';
import type { Place } from './place.ts';

/** How one task of a batch ended for the batch. */
export interface TaskOutcome {
  goesOn: boolean;
  withdrawn: string | null;
}

/** One task, top to bottom: start, run, commit (or salvage), report. Landing follows in `land-task.ts`. */
export async function runTask(ctx: WorkerContext, batch: OpenBatch, place: Place): Promise<TaskOutcome> {
  const { claimed } = place;
  batch.current.taskId = claimed.task.id;
  const holding = { attemptId: claimed.attempt.id, fence: claimed.attempt.fence };
  const earlier = await earlierWork(ctx, batch, claimed);
  const start = await startTask(batch.workspace, {
    head: place.head,
    ...earlier,
    owner: { taskId: claimed.task.id, fence: claimed.attempt.fence },
    setUp: (workspace) => batch.repo.agentPool.setUp(workspace),
  });
  const timeoutMs = batch.timeouts.get(claimed.task.id)?.timeoutMs ?? scopeTimeoutMs(claimed.task.scope);
  const carried = await runAgentTask(ctx, batch, { ...place, start, timeoutMs });
  const { done: ended, tampered } = await checkClone(ctx, batch, carried);
  const committed = ended.finished.outcome === 'done' ? await commit(ctx, batch, { claimed, start }) : null;
  const refusal = committed !== null && 'uncommitted' in committed ? committed : {};
  const { range, ref } = committed !== null && 'range' in committed ? committed : { range: null, ref: null };
  const reviewed = range === null ? null : await reviewTask(ctx, batch, { claimed, range, ended });
  const done = { ...ended, ...reviewed?.stop };
  // The next task resets the tree; after the last one the pool does.
  const isLast = batch.claim.tasks.at(-1)?.task.id === claimed.task.id;
  const salvageRef =
    range === null || !isLast
      ? await salvage(batch.workspace, {
          ...{ taskId: claimed.task.id, fence: claimed.attempt.fence },
          tools: { exec: ctx.exec, env: agentEnvironment({ base: ctx.operatorEnv, home: null }) },
        })
      : null;
  if (salvageRef !== null)
    await publishSalvage(ctx, { repo: batch.claim.repo, clone: batch.repo.clone, taskId: claimed.task.id });
  if (done.stopped === 'shutdown') ctx.left.push(`${batch.claim.run.slug}/${claimed.task.key}`);
  const parkUntil = new Date(ctx.clock.now().getTime() + 60_000);
  const report = decideReport({
    holding,
    sessionId: batch.claim.sessionId,
    ...withUnsaved(done, batch),
    range,
    ...refusal,
    // What was committed and is not reported as done is found there.
    salvageRef: salvageRef ?? (done.stopped === null ? null : ref),
    parkUntil,
    other: await otherAgent(ctx, batch, { claimed, outcome: done.finished.outcome }),
  });
  if (report.fact === null) tellLost(ctx, batch, { claimed, kept: salvageRef ?? ref });
  else await reportFact(ctx, { report: report.fact, attemptId: holding.attemptId, done });
  await ctx.store.runs.settle(batch.claim.run.id);
  const isWhole = batch.workspace.state.unsaved === null; // else the worktree is set aside with what is in it
  const refused = !done.measured && policiesOf(batch.claim.run).refusesUnmeasured;
  // The time of a session runs on while its work is read: the next task gets one of its own.
  const goesOn = report.goesOn && !tampered && isWhole && !refused && reviewed === null;
  return { goesOn, withdrawn: report.withdrawn };
}

/** Nothing may be reported any more; who looks for the result of this agent finds in the log why there is none. */
function tellLost(
  { log }: WorkerContext,
  { claim }: OpenBatch,
  { claimed, kept }: { claimed: ClaimedTask; kept: string | null },
): void {
  log.warn('the result of an agent does not count: its lease ran out, and the task is given to others', {
    task: `${claim.run.slug}/${claimed.task.key}`,
    attempt: claimed.attempt.number,
    ...(kept === null ? {} : { work: kept }),
  });
}

/** Asked only where the provider is what failed. */
async function otherAgent(
  ctx: WorkerContext,
  { claim, route }: OpenBatch,
  { claimed, outcome }: { claimed: ClaimedTask; outcome: AgentResult['finished']['outcome'] },
): Promise<string | null> {
  if (outcome !== 'rate_limited' && outcome !== 'provider_down') return null;
  const ended = { outcome, agent: route.agentName, model: route.model };
  return agentAfter(ctx, claim, { task: claimed.task, ended });
}

/** The attempt's own record says so when its worktree is kept, because not all in it could be saved. */
function withUnsaved(done: AgentResult, { workspace }: OpenBatch): AgentResult {
  const { unsaved } = workspace.state;
  if (unsaved === null) return done;
  const summary = `${done.finished.summary} (its worktree is set aside: ${unsaved.why})`;
  return { ...done, finished: { ...done.finished, summary } };
}

/**
 * Makes the task's commit range durable: what the agent left uncommitted is committed for it, the head keeps a ref,
 * and each worker that may land it can read it. Files that git cannot hold are named instead.
 */
async function commit(
  ctx: WorkerContext,
  batch: OpenBatch,
  { claimed, start }: { claimed: ClaimedTask; start: TaskStart },
): Promise<
  | { range: { baseCommit: string; startCommit: string; headCommit: string }; ref: string }
  | { uncommitted: string }
> {
  const { task, attempt } = claimed;
  const made = await commitOrRefuse(batch, {
    git: ctx.git,
    startCommit: start.startCommit,
    message: task.title,
    trailers: trailersOf(batch, claimed),
    at: ctx.clock.now(),
  });
  if ('uncommitted' in made) return made;
  const { clone } = batch.repo;
  const ref = await clone.keepAttempt({ taskId: task.id, fence: attempt.fence, commit: made.headCommit });
  const { conflicts } = start;
  const open =
    conflicts === null
      ? []
      : await unresolvedFiles(clone, { from: start.startCommit, to: made.headCommit, conflicts });
  if (open.length > 0)
    return {
      uncommitted: `A conflict is left in ${shortList(open.map(printableLine))}: keep one side or both, and remove what git wrote around them.`,
    };
  const holding = { attemptId: attempt.id, fence: attempt.fence };
  await placeHead(ctx, { repo: batch.claim.repo, clone, holding, ref });
  const { baseCommit, startCommit } = start;
  return { range: { baseCommit, startCommit, headCommit: made.headCommit }, ref };
}

async function commitOrRefuse(
  batch: OpenBatch,
  options: CommitTaskOptions,
): Promise<TaskCommit | { uncommitted: string }> {
  try {
    return await commitTask(batch.workspace, options);
  } catch (error) {
    if (BatonError.is(error) && error.code === 'WORK_NOT_COMMITTABLE') return { uncommitted: error.message };
    throw error;
  }
}

/** Trailers of every commit made for a task (docs/spec/agents.md#commits-of-a-task). */
export function trailersOf(
  batch: Pick<OpenBatch, 'route'>,
  { task, attempt }: ClaimedTask,
): Record<string, string> {
  return {
    'Task-Id': task.id,
    Attempt: String(attempt.number),
    Agent: batch.route.agentName,
    ...(batch.route.model === null ? {} : { Model: batch.route.model }),
  };
}

async function reportFact(
  ctx: WorkerContext,
  {
    report,
    attemptId,
    done,
  }: { report: NonNullable<ReturnType<typeof decideReport>['fact']>; attemptId: string; done: AgentResult },
): Promise<void> {
  const outcome = await ctx.store.claims.record(report, {
    actor: actorOf(ctx),
    commandId: `${attemptId}:${report.fact}`,
  });
  if (!outcome.ok)
    ctx.log.warn('a report was refused', {
      fact: report.fact,
      code: outcome.code,
      message: outcome.message,
      outcome: done.finished.outcome,
    });
}
