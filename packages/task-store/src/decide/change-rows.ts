import type { EventDraft } from './change.ts';

/** One row of the record: what one fact moves of one task with its attempt and session. Source: docs/spec/store.md#record. */
export interface ChangeRow {
  /** Key of its step: its moves, in order. */
  step: string;
  runId: string | null;
  taskId: string | null;
  attemptId: string | null;
  sessionId: string | null;
  /** The number of the last move of each machine; null: it does not move. */
  seqs: Record<Machine, number | null>;
  actor: string;
  reason: string;
  transitionReason: string | null;
  abortReason: string | null;
  metadata: EventDraft['metadata'] | null;
}

/** Machines whose moves are recorded, in the order of a row's columns. */
export const machines = ['task', 'turn', 'agent', 'execution', 'run'] as const;
/** One of {@link machines}. */
export type Machine = (typeof machines)[number];

/** The move of an event, as keys of steps are made of them; its transition reason only where it is not that of its whole fact. */
function moveOf(event: EventDraft): string {
  const { machine, fromState, alias, toState, kind, trigger, transitionReason } = event;
  const own = transitionReason === commonReason(event) ? null : transitionReason;
  const cell = `${machine}|${fromState ?? ''}|${event.event}|${alias ?? ''}|${toState}|${kind}`;
  return `${cell}|${trigger ?? ''}|${own ?? ''}`;
}

const commonReason = ({ cause }: EventDraft) => cause?.transitionReason ?? null;

/**
 * Events as rows: those of one fact about one task go together, in their order. The moves of a session go with the first task
 * that its fact moves, or by themselves where it moves none. Pure.
 */
export function changeRows(events: readonly EventDraft[]): ChangeRow[] {
  const rows: ChangeRow[] = [];
  for (let at = 0; at < events.length;) {
    const start = at;
    while (at < events.length && events[at]?.cause === events[start]?.cause) at++;
    for (const group of byTask(events.slice(start, at))) rows.push(rowOf(group));
  }
  return rows;
}

function byTask(events: readonly EventDraft[]): EventDraft[][] {
  const first = events.find(({ taskId }) => taskId !== null)?.taskId ?? null;
  const groups = new Map<string | null, EventDraft[]>();
  for (const event of events) {
    const key = event.taskId ?? first;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  return [...groups.values()];
}

function rowOf(group: readonly EventDraft[]): ChangeRow {
  const last = (machine: Machine) => group.findLast((event) => event.machine === machine);
  const [head] = group;
  if (head === undefined) throw new RangeError('a row has at least one move');
  const [task, turn, agent, execution, run] = machines.map(last);
  const metadata = (task ?? run)?.metadata ?? {};
  return {
    step: group.map(moveOf).join(' '),
    runId: head.runId,
    taskId: (task ?? turn)?.taskId ?? null,
    attemptId: turn?.entityId ?? null,
    sessionId: (agent ?? execution)?.entityId ?? null,
    seqs: {
      task: task?.seq ?? null,
      turn: turn?.seq ?? null,
      agent: agent?.seq ?? null,
      execution: execution?.seq ?? null,
      run: run?.seq ?? null,
    },
    actor: head.actor,
    reason: head.reason,
    transitionReason: commonReason(head),
    abortReason: group.find(({ kind }) => kind !== 'created')?.abortReason ?? null,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
  };
}
