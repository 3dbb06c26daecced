import {
  agentMachine,
  decide,
  executionMachine,
  moveTo,
  override,
  taskMachine,
  turnMachine,
  type AbortReason,
  type AgentStatus,
  type Decision,
  type ExecutionState,
  type ExecutionTrigger,
  type TaskStatus,
  type TransitionReason,
} from '@baton/fsm-core';
import type { AttemptPatch, EventDraft, SessionPatch, TaskPatch } from './change.ts';
import type { Item, SessionState, Situation } from './situation.ts';

/** Why all moves of one fact happen. */
export interface Cause {
  actor: string;
  reason: string;
  transitionReason?: TransitionReason | undefined;
  abortReason?: AbortReason | undefined;
}

/** What the moves of one fact come to, or the first move that the kernel refused. */
export interface Planned {
  refused: { machine: string; from: string; what: string } | null;
  events: EventDraft[];
  tasks: Map<string, TaskPatch>;
  attempts: Map<string, AttemptPatch>;
  session: SessionPatch | null;
}

type TurnEvent =
  | 'agent_spawned'
  | 'tool_started'
  | 'tool_completed'
  | 'compact_needed'
  | 'verify_requested'
  | 'compact_completed'
  | 'task_completed'
  | 'task_failed'
  | 'agent_reaped'
  | 'task_claimed';

/** A task, whatever is known of its attempt. */
export type Mover = Pick<Item, 'task'>;

/** Collects the moves of one fact; each is validated by the kernel on the state that the moves before it left. */
export interface MovePlan {
  readonly planned: Planned;
  taskStatus(item: Mover): TaskStatus;
  turnStatus(item: Item): string;
  session(): SessionState | null;
  /** Moves a task along its table. */
  task(
    item: Mover,
    to: TaskStatus,
    extra?: { transitionReason?: TransitionReason; metadata?: Record<string, unknown> },
  ): void;
  /** One of the two declared overrides. */
  overrideTask(item: Mover, to: TaskStatus): void;
  turn(item: Item, ...events: TurnEvent[]): void;
  /** Moves the agent; to `starting` only from nothing. */
  agent(to: AgentStatus): void;
  execution(to: ExecutionState, trigger: ExecutionTrigger): void;
  patchTask(item: Mover, patch: TaskPatch): void;
  patchAttempt(item: Item, patch: AttemptPatch): void;
  patchSession(patch: SessionPatch): void;
  refuse(machine: string, from: string, what: string): void;
}

/** Starts the plan of one fact on one situation. */
export function startMoves(situation: Situation, cause: Cause): MovePlan {
  const at = situation.now.getTime();
  const planned: Planned = {
    refused: null,
    events: [],
    tasks: new Map(),
    attempts: new Map(),
    session: null,
  };
  const tasks = new Map(
    [...situation.items.map(({ task }) => task), ...situation.others].map((task) => [
      task.id,
      { entityId: task.id, state: task.status, seq: task.version, context: undefined },
    ]),
  );
  const turns = new Map(
    situation.items.map(({ attempt }) => [
      attempt.id,
      { entityId: attempt.id, state: attempt.turnStatus, seq: attempt.turnSeq, context: undefined },
    ]),
  );
  let session = situation.session;

  const input = (
    extra: Partial<Cause> & { trigger?: ExecutionTrigger; metadata?: Record<string, unknown> } = {},
  ) => ({ ...cause, ...extra, at });
  const refuse = (machine: string, from: string, what: string) => {
    planned.refused ??= { machine, from, what };
  };

  /** Takes a decision over: the event, or the refusal. */
  function take(
    decision: Decision,
    where: {
      runId: string;
      taskId: string | null;
      from: string;
      what: string;
      machine: EventDraft['machine'];
    },
  ) {
    if (!decision.ok) {
      refuse(where.machine, where.from, where.what);
      return null;
    }
    const { record } = decision;
    planned.events.push({
      machine: where.machine,
      version: record.version,
      entityId: record.entityId,
      runId: where.runId,
      taskId: where.taskId,
      seq: record.seq,
      fromState: record.from,
      toState: record.to,
      event: record.event,
      alias: record.alias ?? null,
      kind: record.kind === 'override' ? 'override' : 'move',
      actor: record.actor,
      reason: record.reason,
      transitionReason: record.transitionReason ?? null,
      abortReason: record.abortReason ?? null,
      trigger: record.trigger ?? null,
      metadata: record.metadata,
      cause,
    });
    return decision.snapshot;
  }

  function patchTask(item: Mover, patch: TaskPatch) {
    planned.tasks.set(item.task.id, { ...planned.tasks.get(item.task.id), ...patch });
  }
  function patchAttempt(item: Item, patch: AttemptPatch) {
    planned.attempts.set(item.attempt.id, { ...planned.attempts.get(item.attempt.id), ...patch });
  }
  function patchSession(patch: SessionPatch) {
    planned.session = { ...planned.session, ...patch };
  }

  function settleTask(
    item: Mover,
    decide: (snapshot: { entityId: string; state: TaskStatus; seq: number; context: undefined }) => Decision,
    to: string,
  ) {
    const snapshot = tasks.get(item.task.id);
    if (planned.refused !== null || snapshot === undefined) return;
    const next = take(decide(snapshot), {
      machine: 'task',
      runId: item.task.runId,
      taskId: item.task.id,
      from: snapshot.state,
      what: to,
    });
    if (next === null) return;
    tasks.set(item.task.id, { ...snapshot, state: next.state as TaskStatus, seq: next.seq });
    patchTask(item, { status: next.state as TaskStatus, version: next.seq });
  }

  return {
    planned,
    taskStatus: (item) => tasks.get(item.task.id)?.state ?? item.task.status,
    turnStatus: (item) => turns.get(item.attempt.id)?.state ?? item.attempt.turnStatus,
    session: () => session,
    task(item, to, extra = {}) {
      settleTask(item, (snapshot) => moveTo(taskMachine, snapshot, to, input(extra)), to);
    },
    overrideTask(item, to) {
      settleTask(item, (snapshot) => override(taskMachine, snapshot, to, input()), to);
    },
    turn(item, ...events) {
      for (const type of events) {
        const snapshot = turns.get(item.attempt.id);
        if (planned.refused !== null || snapshot === undefined) return;
        const decision = decide(turnMachine, snapshot, { ...input(), type });
        const next = take(decision, {
          machine: 'turn',
          runId: item.task.runId,
          taskId: item.task.id,
          from: snapshot.state,
          what: type,
        });
        if (next === null) return;
        turns.set(item.attempt.id, {
          ...snapshot,
          state: next.state as typeof snapshot.state,
          seq: next.seq,
        });
        patchAttempt(item, { turnStatus: next.state as typeof snapshot.state, turnSeq: next.seq });
      }
    },
    agent(to) {
      if (planned.refused !== null || session === null) return;
      if (session.status === null) {
        if (to !== 'starting') return refuse('agent', 'nothing', to);
        planned.events.push({
          machine: 'agent',
          version: agentMachine.version,
          entityId: session.id,
          runId: session.runId,
          taskId: null,
          seq: 0,
          fromState: null,
          toState: 'starting',
          event: 'created',
          alias: null,
          kind: 'created',
          actor: cause.actor,
          reason: cause.reason,
          transitionReason: null,
          abortReason: null,
          trigger: null,
          metadata: {},
          cause,
        });
        session = { ...session, status: 'starting', statusSeq: 0 };
      } else {
        const snapshot = {
          entityId: session.id,
          state: session.status,
          seq: session.statusSeq,
          context: undefined,
        };
        const next = take(moveTo(agentMachine, snapshot, to, input()), {
          machine: 'agent',
          runId: session.runId,
          taskId: null,
          from: session.status,
          what: to,
        });
        if (next === null) return;
        session = { ...session, status: to, statusSeq: next.seq };
      }
      patchSession({ status: session.status, statusSeq: session.statusSeq });
    },
    execution(to, trigger) {
      if (planned.refused !== null || session === null) return;
      const snapshot = {
        entityId: session.id,
        state: session.executionState,
        seq: session.executionSeq,
        context: undefined,
      };
      const next = take(moveTo(executionMachine, snapshot, to, input({ trigger })), {
        machine: 'execution',
        runId: session.runId,
        taskId: null,
        from: session.executionState,
        what: to,
      });
      if (next === null) return;
      session = { ...session, executionState: to, executionSeq: next.seq };
      patchSession({ executionState: to, executionSeq: next.seq });
    },
    patchTask,
    patchAttempt,
    patchSession,
    refuse,
  };
}
