import {
  agentMachine,
  executionMachine,
  replay,
  taskMachine,
  turnMachine,
  type TransitionRecord,
} from '@baton/fsm-core';
import type { EventDraft } from '../../../src/decide/change.ts';
import type { World } from '../world/rows.ts';

const machineOf = { task: taskMachine, turn: turnMachine, agent: agentMachine, execution: executionMachine };
type MachineId = keyof typeof machineOf;

/** Replays every history of a world with the kernel: sound, and ending where the rows stand. Gives what is wrong. */
export function historyProblems(world: World): string[] {
  const histories = new Map<string, EventDraft[]>();
  for (const event of world.history) {
    // A session is born starting: that is where its history begins.
    if (event.kind === 'created') continue;
    const entity = `${event.machine} ${event.entityId}`;
    histories.set(entity, [...(histories.get(entity) ?? []), event]);
  }
  return [...histories].flatMap(([entity, events]) => problems(world, entity, events));
}

function problems(world: World, entity: string, events: readonly EventDraft[]): string[] {
  const [machine = '', id = ''] = entity.split(' ');
  const result = replay(machineOf[machine as MachineId], events.map(toRecord));
  if (!result.ok) return [`the history of ${entity} is broken: ${result.violations[0]?.message ?? ''}`];
  const row = standing(world, machine as MachineId, id);
  if (row === null || (row.state === result.state && row.seq === result.seq)) return [];
  return [
    `${entity}: its history ends in ${result.state} (${result.seq}), its row says ${row.state} (${row.seq})`,
  ];
}

/** Null where nobody speaks of the row any more. */
function standing(world: World, machine: MachineId, id: string): { state: string; seq: number } | null {
  const task = world.tasks.find((row) => row.id === id);
  const attempt = world.attempts.find((row) => row.id === id);
  const session = world.sessions.find((row) => row.id === id);
  if (machine === 'task') return task === undefined ? null : { state: task.status, seq: task.version };
  if (machine === 'turn')
    return attempt === undefined ? null : { state: attempt.turnStatus, seq: attempt.turnSeq };
  if (session === undefined) return null;
  if (machine === 'execution') return { state: session.executionState, seq: session.executionSeq };
  return { state: session.status ?? '–', seq: session.statusSeq };
}

function toRecord(event: EventDraft): TransitionRecord {
  return {
    id: `${event.entityId}:${event.seq}`,
    machine: event.machine,
    version: event.version,
    entityType: event.machine,
    entityId: event.entityId,
    seq: event.seq,
    from: event.fromState ?? '',
    to: event.toState,
    event: event.event,
    ...(event.alias === null ? {} : { alias: event.alias }),
    kind: event.kind === 'override' ? 'override' : 'move',
    actor: event.actor,
    reason: event.reason,
    metadata: event.metadata,
    at: 0,
  };
}
