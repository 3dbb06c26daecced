import path from 'node:path';
import { BatonError, errorText, type ErrorCode } from '@baton/contracts';
import { lifetimeMs, type Route, type TimeoutChoice } from '@baton/router-cost';
import {
  builtinAgent,
  diskTrouble,
  openAgent,
  redactor,
  type AgentRunner,
  type Workspace,
} from '@baton/spawner';
import type { Claim } from '@baton/task-store';
import { afterDenial } from '../abort/abort-chain.ts';
import { effortOf, environmentOf } from './agent-settings.ts';
import type { WorkerContext } from '../context/context.ts';
import { liveSession, type LiveSession } from '../context/live-session.ts';
import { permissionPolicy, type Current } from './permission.ts';
import { prepareRun, prepareWorktree } from './prepare-run.ts';
import type { RepoAccess } from '../context/repos.ts';
import { routeBatch, type BatchRouting } from './route-batch.ts';
import { standingTarget } from './standing-target.ts';
import { timeLimits } from './time-limits.ts';

/** A claim whose workspace and agent are open. */
export interface OpenBatch {
  claim: Claim;
  route: Route;
  repo: RepoAccess;
  workspace: Workspace;
  agent: AgentRunner;
  /** How others stop it. */
  live: LiveSession;
  /** The task that the agent is at. */
  current: Current;
  /** How long each task may take, by its id. */
  timeouts: ReadonlyMap<string, TimeoutChoice>;
  /** Head of the target when the workspace was opened: it holds all dependencies. */
  freshHead: string;
}

/** Why a claim is given back before any agent started. */
export interface Refusal {
  reason: string;
  /** Its tasks wait at least this long; 0: they are ready at once. */
  pauseMs: number;
  /** No attempt can succeed until a person acts: the run is held with the reason. */
  holdsRun: boolean;
  /** What its tasks wait for, as `explain` names it. */
  because?: 'price_unknown' | 'budget' | 'agent_unavailable' | 'state_full' | undefined;
  /** The workspace could not be made: counts as a try, unless Baton's own folders are the reason. */
  setupFailed?: { retry: boolean; counted: boolean };
}

const vetoPauseMs = 30_000;
const budgetPauseMs = 60_000;
const fullPauseMs = 300_000;
const remotePauseMs = 60_000;
/** A run is held when no worktree could be made for it this often in a row. */
const mostUnmade = 3;
/** Refusals that end when somebody names a price or money comes free. */
const waitsForMoney: Partial<Record<string, 'price_unknown' | 'budget'>> = {
  PRICE_UNKNOWN: 'price_unknown',
  BUDGET_EXCEEDED: 'budget',
};

/** Everything before the first prompt: run prepared, plugins asked, route chosen, worktree and agent open. */
export async function openBatch(ctx: WorkerContext, claim: Claim): Promise<OpenBatch | { refused: Refusal }> {
  if (ctx.room.full !== null)
    return refused(fullReason(ctx.room.full), { pauseMs: fullPauseMs, because: 'state_full' });
  const worktree = prepareWorktree(ctx, claim);
  const ready = await prepareRun(ctx, claim).catch((cause: unknown) => notOpened(ctx, { claim, cause }));
  if ('refused' in ready) return ready;
  if (!ready.ok) return refused(ready.reason, {});
  const claimed = await vetoOfClaim(ctx, claim);
  if (claimed !== null) return refused(claimed, { pauseMs: vetoPauseMs });
  const route = await routeBatch(ctx, claim);
  if (!route.ok) return notRouted(ctx, { claim, route });
  const away = ctx.withdrawals.refusal(route, idsOf(claim));
  if (away !== null) return refused(away, { because: 'agent_unavailable' });
  const timeouts = await timeLimits(ctx, { claim, route });
  const opened = await openAtTarget(ctx, claim).catch((cause: unknown) => notOpened(ctx, { claim, cause }));
  if ('refused' in opened) return opened;
  const { repo, target } = opened;
  if (!target.ok) return refused(target.text, {});
  const { head } = target;
  try {
    await worktree;
    const workspace = await repo.agentPool.acquire({ head, owner: ownerOf(claim) });
    ctx.unmade.delete(claim.run.id);
    const spawn = await vetoOfSpawn(ctx, { claim, route, workspace });
    if (spawn !== null) {
      await repo.agentPool.release(workspace);
      return refused(spawn, { pauseMs: vetoPauseMs });
    }
    const current: Current = { taskId: claim.tasks[0]?.task.id ?? '' };
    const agent = startAgent(ctx, { claim, route, workspace, current });
    return {
      claim,
      route,
      repo,
      workspace,
      agent,
      live: liveSession(claim, agent),
      current,
      timeouts,
      freshHead: head,
    };
  } catch (cause) {
    if (!BatonError.is(cause)) throw cause;
    // The set-up runs on the target itself: it would fail for each task alike.
    if (cause.code === 'SETUP_FAILED') return refused(errorText(cause), { holdsRun: true });
    if (cause.code === 'WORKSPACE_FAILED') return unmade(ctx, { claim, cause });
    return refused(`${cause.code}: ${cause.message}`, {
      setupFailed: { retry: cause.retryable, counted: true },
    });
  }
}

/** A veto and money pass by themselves, an agent may be elsewhere or come; anything else holds the run. */
function notRouted(
  ctx: WorkerContext,
  { claim, route }: { claim: Claim; route: Extract<BatchRouting, { ok: false }> },
): { refused: Refusal } {
  if (route.code === 'PLUGIN_VETO') return refused(route.message, { pauseMs: vetoPauseMs });
  const reason = errorText(route);
  if (route.code === 'AGENT_MISSING' || (route.code === 'AGENT_UNKNOWN' && isNamed(claim))) {
    const agent = { agentName: missingName(claim), definition: null };
    ctx.withdrawals.withdraw(agent, { reason, taskIds: idsOf(claim) });
    return refused(reason, { because: 'agent_unavailable' });
  }
  const because = waitsForMoney[route.code];
  return refused(reason, because === undefined ? { holdsRun: true } : { pauseMs: budgetPauseMs, because });
}

/** No task is to blame for a worktree that cannot be made: it waits, uncounted, and after a few in a row the run is held. */
function unmade(
  ctx: WorkerContext,
  { claim, cause }: { claim: Claim; cause: BatonError },
): { refused: Refusal } {
  const reason = errorText(cause);
  const count = (ctx.unmade.get(claim.run.id) ?? 0) + 1;
  if (count < mostUnmade) {
    ctx.unmade.set(claim.run.id, count);
    return refused(reason, { setupFailed: { retry: true, counted: false } });
  }
  ctx.unmade.delete(claim.run.id);
  return refused(reason, { holdsRun: true });
}

/** The repository, and the head of its target now: a remote may have gone away since the run was prepared. */
async function openAtTarget(ctx: WorkerContext, claim: Claim) {
  const repo = await ctx.repos.open(claim.run, claim.repo);
  const tasks = claim.tasks.map(({ task }) => task);
  return { repo, target: await standingTarget(ctx, { ...claim, clone: repo.clone, tasks }) };
}

/** What says nothing about any task: the repository cannot be opened. */
const ofRepository: readonly ErrorCode[] = [
  'GIT_FAILED',
  'GIT_MISSING',
  'REPO_NOT_FOUND',
  'REPO_BARE',
  'REPO_EMPTY',
  'REPO_INCOMPLETE',
  'REF_INVALID',
  'STATE_UNWRITABLE',
];

/** Costs no try: a remote that does not answer is asked again, anything else is a person's to put right. @throws what it is about */
function notOpened(
  ctx: WorkerContext,
  { claim, cause }: { claim: Claim; cause: unknown },
): { refused: Refusal } {
  const full = diskTrouble(ctx.stateDir, cause);
  if (full !== null) return unmade(ctx, { claim, cause: full });
  if (BatonError.is(cause, 'WORKSPACE_FAILED')) return unmade(ctx, { claim, cause });
  if (!BatonError.is(cause) || !ofRepository.includes(cause.code)) throw cause;
  const reason = errorText(cause);
  const mayPass = claim.repo.host === null && cause.code === 'GIT_FAILED';
  return refused(reason, mayPass ? { pauseMs: remotePauseMs } : { holdsRun: true });
}

/** Why no new work starts; what is at work continues. */
function fullReason(full: string): string {
  return `STATE_FULL: ${full}. Raise it, or shorten the other retentions, then start it again.`;
}

function refused(reason: string, more: Partial<Refusal>): { refused: Refusal } {
  return { refused: { reason, pauseMs: 0, holdsRun: false, ...more } };
}

function startAgent(
  ctx: WorkerContext,
  {
    claim,
    route,
    workspace,
    current,
  }: { claim: Claim; route: Route; workspace: Workspace; current: Current },
): AgentRunner {
  const definition = route.definition ?? builtinAgent(route.agentName);
  return openAgent({
    name: route.agentName,
    definition,
    model: route.model,
    effort: effortOf(claim.run, { task: claim.tasks[0]?.task, route, definition }),
    workspace,
    env: environmentOf(ctx, { claim, definition }),
    marker: claim.sessionId,
    stateDir: ctx.stateDir,
    clock: ctx.clock,
    limits: { lifetimeMs: Math.max(...claim.tasks.map((item) => lifetimeMs(item.task.scope))) },
    logFile: path.join(ctx.logsDir, `${claim.sessionId}.log`),
    redact: redactor(ctx.operatorEnv),
    permission: permissionPolicy(ctx, {
      ...{ claim, workspace, current },
      onDenied: () => afterDenial(ctx, claim.sessionId),
    }),
  });
}

const idsOf = (claim: Claim): string[] => claim.tasks.map(({ task }) => task.id);

/** Whether the task itself names its agent, so that others of its run may have one that is there. */
function isNamed({ tasks: [head] }: Claim): boolean {
  return typeof head?.task.agent === 'string';
}

/** The agent that a route could not be made to: what the task or its run names. */
function missingName({ run, tasks }: Claim): string {
  const named = tasks[0]?.task.agent ?? run.defaultAgent;
  return typeof named === 'string' ? named : 'any agent';
}

/** Whose work a crash would leave in the worktree: the first task's, until `startTask` names the next. */
function ownerOf(claim: Claim): { taskId: string; fence: number } | null {
  const first = claim.tasks[0];
  return first ? { taskId: first.task.id, fence: first.attempt.fence } : null;
}

async function vetoOfClaim(ctx: WorkerContext, claim: Claim): Promise<string | null> {
  const tasks = claim.tasks.map(({ task: { id, key, title, role, labels } }) => ({
    id,
    key,
    title,
    role,
    labels,
  }));
  const outcome = await ctx.plugins?.intercept('task:claimed', {
    runId: claim.run.id,
    workerId: ctx.worker.id,
    tasks,
  });
  return outcome && !outcome.ok ? `plugin ${outcome.by}: ${outcome.reason}` : null;
}

/** What a plugin has against an agent that is about to be started; null: nothing. */
export async function vetoOfSpawn(
  ctx: WorkerContext,
  {
    claim,
    route,
    workspace,
  }: { claim: Claim; route: Pick<Route, 'agentName' | 'model'>; workspace: Pick<Workspace, 'path'> },
): Promise<string | null> {
  const outcome = await ctx.plugins?.intercept('agent:beforeSpawn', {
    runId: claim.run.id,
    taskIds: claim.tasks.map((item) => item.task.id),
    agentName: route.agentName,
    model: route.model,
    workspace: workspace.path,
  });
  return outcome && !outcome.ok ? `plugin ${outcome.by}: ${outcome.reason}` : null;
}
