import type { Change, EventDraft } from './change.ts';
import { jsonText } from './json-text.ts';
import { snakeKeys } from './rows.ts';

/** The key of an event's cell, as the database's table of cells has it. */
function cellOf(event: EventDraft): string {
  return `${event.machine}|${event.fromState ?? ''}|${event.event}|${event.alias ?? ''}|${event.toState}|${event.kind}`;
}

/** What few events have, as JSON; null for the others. */
function extraOf({ transitionReason, abortReason, metadata }: EventDraft): string | null {
  const plain = transitionReason === null && abortReason === null;
  if (plain && Object.keys(metadata).length === 0) return null;
  return jsonText({ transition_reason: transitionReason, abort_reason: abortReason, metadata });
}

/** Where the last event of each (machine, entity) stands, from 1. */
function lastEvents(events: readonly EventDraft[]): (machine: EventDraft['machine'], id: string) => number {
  const places = new Map<string, number>();
  events.forEach(({ machine, entityId }, at) => places.set(`${machine} ${entityId}`, at + 1));
  return (machine, id) => places.get(`${machine} ${id}`) ?? 0;
}

/** Patches go without what the events tell already. */
const told = new Set([
  'status',
  'version',
  'statusSeq',
  'executionState',
  'executionSeq',
  'turnStatus',
  'turnSeq',
  'seq',
]);
function patchText(patch: object, flags: object = {}): string {
  return jsonText({ ...snakeKeys(patch, told), ...flags });
}

/** A change as the values of the door's columns; arrays run side by side. */
export function changeValues(change: Change): unknown[] {
  const { events = [], sessions = [], tasks = [], attempts = [] } = change;
  const at = lastEvents(events);
  const standing = attempts.flatMap((entry) => ('new' in entry ? [] : [entry]));
  return [
    events.map(({ actor }) => actor),
    events.map(cellOf),
    events.map(({ entityId }) => entityId),
    events.map(({ seq }) => seq),
    events.map(({ runId }) => runId),
    events.map(({ taskId }) => taskId),
    events.map(({ reason }) => reason.replaceAll('\0', '\uFFFD')),
    events.map(({ trigger }) => trigger),
    events.map(extraOf),
    sessions.map(({ id }) => id),
    sessions.map(({ statusSeq }) => statusSeq),
    sessions.map(({ executionSeq }) => executionSeq),
    sessions.map(({ id }) => at('agent', id)),
    sessions.map(({ id }) => at('execution', id)),
    sessions.map(({ patch }) => patchText(patch)),
    tasks.map(({ id }) => id),
    tasks.map(({ version }) => version),
    tasks.map(({ fence }) => fence ?? null),
    tasks.map(({ id }) => at('task', id)),
    tasks.map(({ patch }) => patchText(patch)),
    standing.map(({ id }) => id),
    standing.map(({ fence }) => fence),
    standing.map(({ turnSeq }) => turnSeq),
    standing.map(({ openTools }) => openTools ?? null),
    standing.map(({ id }) => at('turn', id)),
    standing.map(({ patch, free, ifLapsed }) =>
      patchText(patch, { ...(free && { free }), ...(ifLapsed && { if_lapsed: ifLapsed }) }),
    ),
    restOf(change, at),
  ];
}

/** What few changes bring; null when there is nothing of it. */
function restOf(change: Change, at: ReturnType<typeof lastEvents>): string | null {
  const { command, run, landing, decision, add, approval } = change;
  const fresh = (change.attempts ?? []).filter((entry) => 'new' in entry);
  if (!command && !run && !landing && !decision && !add && !approval && fresh.length === 0) return null;
  const { id, seq, cancel, seen, patch = {} } = run ?? {};
  return jsonText({
    command,
    run: run && { id, seq, cancel, seen, at: at('run', run.id), patch: snakeKeys(patch) },
    landing,
    decision,
    add: add && { ...add, edges: add.edges.map((edge) => snakeKeys(edge)) },
    approval: approval && snakeKeys(approval),
    new_attempts: fresh.length === 0 ? undefined : fresh,
  });
}
