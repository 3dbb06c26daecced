import { readFileSync } from 'node:fs';
import type { EventDraft } from '../../../src/decide/change.ts';
import { changeRows } from '../../../src/decide/change-rows.ts';
import { byId, type World } from './rows.ts';

const cells = new URL('../../../sql/03-cells.sql', import.meta.url);
const [initialPart = '', legalPart = ''] = readFileSync(cells, 'utf8').split('CREATE TABLE machine_cell');
const quoted = (text: string) =>
  new Set([...text.matchAll(/'([^'\n]+\|[^'\n]*)'/g)].map((match) => match[1]));

/** The cells as the database holds them, whatever the kernel's tables say today. */
const legalCells = quoted(legalPart);
const initialStates = quoted(initialPart);

const [, dictionary = ''] = readFileSync(new URL('../../../sql/03-steps.sql', import.meta.url), 'utf8').split(
  'ARRAY[',
);
/** The steps as the database holds them: texts that follow one another on lines are one. */
const steps = new Set(
  [...dictionary.matchAll(/'[^']*'(?:\n\s+'[^']*')*/g)].map(([text]) =>
    text.replaceAll(/'\n\s+'/g, '').slice(1, -1),
  ),
);

/** The database refused a change that the production had decided on: that must not happen. */
export class RefusedByDatabase extends Error {}

/** What one machine of one entity stands at in the rows. */
function standing(world: World, { machine, entityId }: EventDraft): { state: string | null; seq: number } {
  switch (machine) {
    case 'task': {
      const row = byId(world.tasks, entityId);
      return { state: row?.status ?? null, seq: row?.version ?? 0 };
    }
    case 'turn': {
      const row = byId(world.attempts, entityId);
      return { state: row?.turnStatus ?? null, seq: row?.turnSeq ?? 0 };
    }
    case 'agent': {
      const row = byId(world.sessions, entityId);
      return { state: row?.status ?? null, seq: row?.statusSeq ?? -1 };
    }
    case 'execution': {
      const row = byId(world.sessions, entityId);
      return { state: row?.executionState ?? null, seq: row?.executionSeq ?? 0 };
    }
    case 'cognitive':
    case 'run':
      throw new RefusedByDatabase(`an event of ${machine}`);
    default:
      return machine satisfies never;
  }
}

/**
 * What the database checks of one change: its rows are steps of the dictionary, each event continues its entity and is a cell of its
 * table; afterwards every column equals the newest event. Rows and events agree before, so that this is replay, one step at a time.
 */
export function checkEvents(before: World, after: World, events: readonly EventDraft[]): void {
  for (const { step } of changeRows(events))
    if (!steps.has(step)) throw new RefusedByDatabase(`${step} is no step of the dictionary`);
  const at = new Map<string, { state: string | null; seq: number }>();
  for (const event of events) {
    const entity = `${event.machine} ${event.entityId}`;
    const last = at.get(entity) ?? standing(before, event);
    const cell = [
      event.machine,
      event.fromState,
      event.event,
      event.alias ?? '',
      event.toState,
      event.kind,
    ].join('|');
    const created =
      event.kind === 'created' &&
      last.state === null &&
      initialStates.has(`${event.machine}|${event.toState}`);
    if (event.seq !== last.seq + 1)
      throw new RefusedByDatabase(`event ${event.seq} of ${entity} follows ${last.seq}`);
    if (event.fromState !== last.state)
      throw new RefusedByDatabase(
        `${entity} stands in ${last.state ?? '–'}, not in ${event.fromState ?? '–'}`,
      );
    if (!created && !legalCells.has(cell)) throw new RefusedByDatabase(`${cell} is no move`);
    if (
      event.machine === 'task' &&
      event.toState === 'CLOSED' &&
      (byId(after.tasks, event.entityId)?.confirmed ?? 0) === 0
    )
      throw new RefusedByDatabase(`${entity} has no confirmed landing`);
    at.set(entity, { state: event.toState, seq: event.seq });
  }
  checkColumns(before, after, at);
}

function checkColumns(
  before: World,
  after: World,
  at: ReadonlyMap<string, { state: string | null; seq: number }>,
): void {
  const check = (
    machine: string,
    id: string,
    states: readonly [string | null, number, string | null, number],
  ) => {
    const [was, wasSeq, is, seq] = states;
    const last = at.get(`${machine} ${id}`) ?? { state: was, seq: wasSeq };
    if (is !== last.state || seq !== last.seq)
      throw new RefusedByDatabase(
        `${machine} ${id}: column says ${is ?? '–'} (${seq}), newest event ${last.state ?? '–'} (${last.seq})`,
      );
  };
  for (const row of after.tasks) {
    const was = byId(before.tasks, row.id) ?? row;
    check('task', row.id, [was.status, was.version, row.status, row.version]);
  }
  for (const row of after.attempts) {
    const was = byId(before.attempts, row.id) ?? { turnStatus: 'IDLE', turnSeq: 0 };
    check('turn', row.id, [was.turnStatus, was.turnSeq, row.turnStatus, row.turnSeq]);
  }
  for (const row of after.sessions) {
    const was = byId(before.sessions, row.id) ?? row;
    check('agent', row.id, [was.status, was.statusSeq, row.status, row.statusSeq]);
    check('execution', row.id, [was.executionState, was.executionSeq, row.executionState, row.executionSeq]);
  }
  for (const task of after.tasks) {
    const open = after.attempts.filter((attempt) => attempt.taskId === task.id && !attempt.ended);
    if (open.length > 1) throw new RefusedByDatabase(`task ${task.id} has ${open.length} open attempts`);
    if (task.pending < 0) throw new RefusedByDatabase(`task ${task.id} waits for ${task.pending} tasks`);
    if (task.confirmed > 1)
      throw new RefusedByDatabase(`task ${task.id} has ${task.confirmed} confirmed landings`);
  }
}
