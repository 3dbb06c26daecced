import type { Change } from '../decide/change.ts';
import { jsonText } from '../db/json-text.ts';
import { changeRows, machines, type ChangeRow, type Machine } from '../decide/change-rows.ts';
import { snakeKeys } from '../db/column-names.ts';

/** Where the first and the last change of each machine stand in the rows, from 1; 0: it does not move. */
interface Places {
  first(machine: Machine, id: string): number;
  last(machine: Machine, id: string): number;
}

const idOf: Record<Machine, (row: ChangeRow) => string | null> = {
  task: ({ taskId }) => taskId,
  turn: ({ attemptId }) => attemptId,
  agent: ({ sessionId }) => sessionId,
  execution: ({ sessionId }) => sessionId,
  run: ({ runId }) => runId,
};

function placesOf(rows: readonly ChangeRow[]): Places {
  const firsts = new Map<string, number>();
  const lasts = new Map<string, number>();
  rows.forEach((row, at) => {
    for (const machine of machines) {
      if (row.seqs[machine] === null) continue;
      const key = `${machine} ${idOf[machine](row) ?? ''}`;
      if (!firsts.has(key)) firsts.set(key, at + 1);
      lasts.set(key, at + 1);
    }
  });
  return {
    first: (machine, id) => firsts.get(`${machine} ${id}`) ?? 0,
    last: (machine, id) => lasts.get(`${machine} ${id}`) ?? 0,
  };
}

/** Patches go without what the steps tell already. */
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

/** In the order in which Postgres sorts ids. */
function byId<Row extends { id: string }>(rows: readonly Row[]): readonly Row[] {
  return rows.length < 2 ? rows : [...rows].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** A change as the values of `change_request`; arrays run side by side. */
export function changeValues(change: Change): unknown[] {
  const { events = [], attempts = [] } = change;
  // The database locks them as they are given: two changes of the same rows must not take them crosswise.
  const [sessions, tasks] = [byId(change.sessions ?? []), byId(change.tasks ?? [])];
  const rows = changeRows(events);
  const { first, last } = placesOf(rows);
  const standing = byId(attempts.flatMap((entry) => ('new' in entry ? [] : [entry])));
  return [
    rows.map(({ step }) => step),
    rows.map(({ runId }) => runId),
    rows.map(({ taskId }) => taskId),
    rows.map(({ attemptId }) => attemptId),
    rows.map(({ sessionId }) => sessionId),
    ...machines.map((machine) => rows.map(({ seqs }) => seqs[machine])),
    rows.map(({ actor }) => actor),
    rows.map(({ reason }) => reason.replaceAll('\0', '\uFFFD')),
    rows.map(({ transitionReason }) => transitionReason),
    rows.map(({ abortReason }) => abortReason),
    rows.map(({ metadata }) => (metadata === null ? null : jsonText(metadata))),
    sessions.map(({ id }) => id),
    sessions.map(({ statusSeq }) => statusSeq),
    sessions.map(({ executionSeq }) => executionSeq),
    sessions.map(({ id }) => first('agent', id)),
    sessions.map(({ id }) => last('agent', id)),
    sessions.map(({ id }) => first('execution', id)),
    sessions.map(({ id }) => last('execution', id)),
    sessions.map(({ patch }) => patchText(patch)),
    tasks.map(({ id }) => id),
    tasks.map(({ version }) => version),
    tasks.map(({ fence }) => fence ?? null),
    tasks.map(({ id }) => first('task', id)),
    tasks.map(({ id }) => last('task', id)),
    tasks.map(({ patch }) => patchText(patch)),
    standing.map(({ id }) => id),
    standing.map(({ fence }) => fence),
    standing.map(({ turnSeq }) => turnSeq),
    standing.map(({ openTools }) => openTools ?? null),
    standing.map(({ id }) => first('turn', id)),
    standing.map(({ id }) => last('turn', id)),
    standing.map(({ patch, free, ifLapsed }) =>
      patchText(patch, { ...(free && { free }), ...(ifLapsed && { if_lapsed: ifLapsed }) }),
    ),
    restOf(change, last),
  ];
}

/** What few changes bring; null when there is nothing of it. */
function restOf(change: Change, last: Places['last']): string | null {
  const { command, run, landing, decision, add, approval } = change;
  const fresh = (change.attempts ?? []).filter((entry) => 'new' in entry);
  if (!command && !run && !landing && !decision && !add && !approval && fresh.length === 0) return null;
  const { id, seq, cancel, seen, patch = {} } = run ?? {};
  return jsonText({
    command,
    run: run && { id, seq, cancel, seen, at: last('run', run.id), patch: snakeKeys(patch) },
    landing,
    decision,
    add: add && { ...add, edges: add.edges.map((edge) => snakeKeys(edge)) },
    approval: approval && snakeKeys(approval),
    new_attempts: fresh.length === 0 ? undefined : fresh,
  });
}
