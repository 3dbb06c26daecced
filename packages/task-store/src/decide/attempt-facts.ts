import type { Fact } from '../model/fact.ts';
import { endAttempt, leaveAttempt, moveOn } from './end-attempt.ts';
import type { MovePlan } from './move-plan.ts';
import type { Failure } from './failure.ts';
import type { Item, Situation } from './situation.ts';

type FactOf<Name extends Fact['fact']> = Extract<Fact, { fact: Name }>;

/** What every row may use besides its fact. */
export interface FactContext {
  situation: Situation;
  /** 0 ≤ x < 1, for the jitter of back-offs. */
  random: number;
}

/** "set-up failed" */
export function setupFailed(
  plan: MovePlan,
  item: Item,
  { fact, context }: { fact: FactOf<'setup_failed'>; context: FactContext },
): void {
  const failure = fact.counted ? 'setup_failed_counted' : 'setup_failed';
  let counted = fact.counted;
  if (fact.retry || item.task.cancelRequested)
    counted = moveOn(plan, item, {
      failure,
      via: 'OPEN',
      now: context.situation.now,
      random: context.random,
    }).counted;
  else {
    plan.task(item, 'FAILED');
    plan.patchTask(item, { settled: true, ...(counted ? { tries: item.task.tries + 1 } : {}) });
  }
  endAttempt(plan, item, { outcome: 'setup_failed', counted, rejections: [], summary: fact.reason });
  if (plan.session()?.executionState === 'pending') {
    plan.execution('failed', 'process_crashed');
    plan.patchSession({ endedAt: 'now' });
  }
}

/** "process launched": moves the first task of the batch only; a repeated launch has no row. */
export function launched(plan: MovePlan, items: Item[], fact: FactOf<'launched'>): void {
  const session = plan.session();
  if (session === null || session.status !== null)
    return plan.refuse('agent', session?.status ?? 'nothing', 'launched');
  const first = items.find((item) => item.task.status === 'CLAIMED');
  if (first === undefined) return plan.refuse('task', items[0]?.task.status ?? 'nothing', 'launched');
  plan.turn(first, 'agent_spawned');
  plan.agent('starting');
  plan.execution('starting', 'spawn');
  for (const item of items) plan.patchAttempt(item, { route: fact.route ?? null });
  plan.patchSession({
    adapter: fact.adapter,
    model: fact.model ?? null,
    pid: fact.pid ?? null,
    pidStarted: fact.pidStarted ?? null,
    workspace: fact.workspace,
    deadlineAt: fact.deadlineAt ?? null,
    currentAttemptId: first.attempt.id,
    lastSignAt: 'now',
  });
}

/** Takes a turn that has not begun to RUNNING. */
function startTurn(plan: MovePlan, item: Item): void {
  if (plan.turnStatus(item) === 'CLAIMING') plan.turn(item, 'agent_spawned');
  plan.turn(item, 'agent_spawned');
}

/** "ready, prompt sent" */
export function ready(plan: MovePlan, item: Item, fact: FactOf<'ready'>): void {
  plan.task(item, 'IN_PROGRESS');
  startTurn(plan, item);
  plan.agent('working');
  plan.execution('idle', 'connected');
  plan.execution('busy', 'prompt_received');
  plan.patchTask(item, { setbacks: 0 });
  plan.patchAttempt(item, { baseCommit: fact.baseCommit, startCommit: fact.startCommit });
  plan.patchSession({ currentAttemptId: item.attempt.id, lastSignAt: 'now' });
}

/** "next task of the batch" */
export function nextTask(plan: MovePlan, item: Item, fact: FactOf<'next_task'>): void {
  const session = plan.session();
  if (session?.status === 'idle') plan.agent('working');
  else if (session?.status !== 'working')
    return plan.refuse('agent', session?.status ?? 'nothing', fact.fact);
  if (session.executionState !== 'idle') return plan.refuse('execution', session.executionState, fact.fact);
  plan.task(item, 'IN_PROGRESS');
  startTurn(plan, item);
  plan.execution('busy', 'prompt_received');
  plan.patchTask(item, { setbacks: 0 });
  plan.patchAttempt(item, { baseCommit: fact.baseCommit, startCommit: fact.startCommit });
  plan.patchSession({
    currentAttemptId: item.attempt.id,
    pid: fact.pid ?? null,
    pidStarted: fact.pidStarted ?? null,
    ...(fact.deadlineAt === undefined ? {} : { deadlineAt: fact.deadlineAt }),
    lastSignAt: 'now',
  });
}

/** "tool call starts / ends": of parallel ones only the first start and the last end move. */
export function tool(plan: MovePlan, item: Item, kind: 'tool_started' | 'tool_ended'): void {
  const open = item.attempt.openTools;
  const turn = plan.turnStatus(item);
  if (turn !== 'RUNNING' && turn !== 'TOOL_USE') return plan.refuse('turn', turn, kind);
  if (kind === 'tool_started') {
    if (turn === 'RUNNING') plan.turn(item, 'tool_started');
    return plan.patchAttempt(item, { openTools: open + 1 });
  }
  if (open <= 1 && turn === 'TOOL_USE') plan.turn(item, 'tool_completed');
  plan.patchAttempt(item, { openTools: Math.max(0, open - 1) });
}

/** Closes open tool calls and an open compaction, so that the turn is RUNNING. */
function backToRunning(plan: MovePlan, item: Item): void {
  if (plan.turnStatus(item) === 'TOOL_USE') plan.turn(item, 'tool_completed');
  if (plan.turnStatus(item) === 'COMPACTING') {
    plan.turn(item, 'compact_completed');
    if (isOn(plan, item) && plan.session()?.executionState === 'suspended')
      plan.execution('busy', 'context_cleared');
  }
  plan.patchAttempt(item, { openTools: 0 });
}

/** Is the agent on this attempt? */
function isOn(plan: MovePlan, item: Item): boolean {
  return plan.session()?.currentAttemptId === item.attempt.id;
}

/** "compaction" and "compaction while verifying", start: its head stays frozen, the verdict of the old seq is void. */
export function compactionStarted(plan: MovePlan, item: Item): void {
  const agent = plan.session()?.status ?? 'nothing';
  // An agent that is gone would never report that the compaction has ended.
  if (agent === 'nothing' || agent === 'dead') return plan.refuse('agent', agent, 'compaction_started');
  if (plan.turnStatus(item) === 'TOOL_USE') plan.turn(item, 'tool_completed');
  if (plan.turnStatus(item) === 'VERIFYING') plan.turn(item, 'compact_needed');
  plan.turn(item, 'compact_needed');
  plan.patchAttempt(item, { openTools: 0 });
  if (isOn(plan, item)) plan.execution('suspended', 'context_cleared');
}

/** "compaction" and "compaction while verifying", end. */
export function compactionEnded(plan: MovePlan, item: Item): void {
  plan.turn(item, 'compact_completed');
  const verifying = plan.taskStatus(item) === 'DONE';
  if (verifying) plan.turn(item, 'verify_requested');
  if (isOn(plan, item)) plan.execution(verifying ? 'idle' : 'busy', 'context_cleared');
}

/** "agent says done" and "done before ready": the holder gives up its lease, its turn waits for the lane. */
export function done(plan: MovePlan, item: Item, fact: FactOf<'done'>): void {
  if (plan.taskStatus(item) === 'CLAIMED') {
    const session = plan.session();
    if (session === null || session.status === null || session.status === 'dead')
      return plan.refuse('agent', session?.status ?? 'nothing', fact.fact);
    if (session.executionState === 'busy' || session.executionState === 'suspended')
      return plan.refuse('execution', session.executionState, fact.fact);
    startTurn(plan, item);
    if (session.status !== 'working') plan.agent('working');
    if (session.executionState === 'starting') plan.execution('idle', 'connected');
    plan.patchSession({ currentAttemptId: item.attempt.id });
  } else {
    backToRunning(plan, item);
    if (isOn(plan, item)) plan.execution('idle', 'result_received');
  }
  plan.task(item, 'DONE', { transitionReason: 'completed' });
  plan.turn(item, 'verify_requested');
  plan.patchTask(item, { setbacks: 0 });
  plan.patchAttempt(item, {
    baseCommit: fact.baseCommit,
    startCommit: fact.startCommit,
    headCommit: fact.headCommit,
    summary: fact.summary,
    workerId: null,
    leaseExpiresAt: null,
    openTools: 0,
    doneAt: 'now',
  });
  plan.patchSession({ lastSignAt: 'now' });
}

const failureOf: Record<FactOf<'agent_failed'>['outcome'], Failure> = {
  agent_failed: 'agent_failed',
  timeout: 'timeout',
  crashed: 'crashed',
  rate_limited: 'rate_limited',
  spawn_failed: 'spawn_failed',
  max_cost: 'agent_failed',
};

/** "agent says failed" */
export function agentFailed(
  plan: MovePlan,
  item: Item,
  { fact, context }: { fact: FactOf<'agent_failed'>; context: FactContext },
): void {
  leaveAttempt(plan, item);
  const { counted } = moveOn(plan, item, {
    failure: failureOf[fact.outcome],
    via: 'FAILED',
    denied: fact.denied,
    now: context.situation.now,
    random: context.random,
    notBefore: fact.notBefore,
  });
  plan.patchTask(item, { continueFrom: null });
  endAttempt(plan, item, {
    outcome: fact.outcome,
    counted,
    summary: fact.reason,
    abortReason: fact.abortReason ?? null,
    ...(fact.salvageRef === undefined ? {} : { salvageRef: fact.salvageRef }),
    ...(fact.rejections === undefined ? {} : { rejections: fact.rejections }),
  });
}

/** Causes that lie with the provider: without a time of its own the next try has a back-off. */
const ofProvider: ReadonlySet<string> = new Set(['parked', 'provider_down']);

/** "released" */
export function released(
  plan: MovePlan,
  item: Item,
  { fact, context }: { fact: FactOf<'released'>; context: FactContext },
): void {
  leaveAttempt(plan, item);
  moveOn(plan, item, {
    failure: ofProvider.has(fact.because ?? '') ? 'rate_limited' : 'released',
    via: 'OPEN',
    transitionReason: fact.transitionReason,
    now: context.situation.now,
    random: context.random,
    notBefore: fact.notBefore,
  });
  endAttempt(plan, item, {
    outcome: fact.because ?? 'released',
    summary: fact.reason,
    abortReason: fact.abortReason ?? null,
    ...(fact.salvageRef === undefined ? {} : { salvageRef: fact.salvageRef }),
  });
}

/** "cancelled" */
export function cancelled(plan: MovePlan, item: Item, fact: FactOf<'cancelled'>): void {
  leaveAttempt(plan, item);
  plan.task(item, 'CANCELLED', { transitionReason: 'aborted' });
  plan.patchTask(item, { settled: true, cancelRequested: true });
  endAttempt(plan, item, {
    outcome: 'cancelled',
    ...(fact.salvageRef === undefined ? {} : { salvageRef: fact.salvageRef }),
  });
}

/** "blocked": on a task or until a time it comes back by itself, on anything else a person says so. */
export function blocked(plan: MovePlan, item: Item, fact: FactOf<'blocked'>): void {
  leaveAttempt(plan, item);
  plan.task(item, 'BLOCKED');
  plan.patchTask(item, {
    blockedOn: { ...fact.on, text: fact.on.text ?? fact.reason },
    notBefore: fact.on.until === undefined ? null : new Date(fact.on.until),
  });
  endAttempt(plan, item, { outcome: 'blocked' });
}

/** "decomposed": its children are added in the same change. */
export function decomposed(plan: MovePlan, item: Item): void {
  leaveAttempt(plan, item);
  plan.task(item, 'WAITING_FOR_SUBTASKS');
  endAttempt(plan, item, { outcome: 'decomposed' });
}
