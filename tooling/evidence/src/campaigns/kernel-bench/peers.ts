import { edges, taskMachine } from '@baton/fsm-core';
import { createMachine, interpret, type Machine, reduce, state, transition as edge } from 'robot3';
import { assign, createActor, createMachine as chart, initialTransition, transition } from 'xstate';
import { entityId, type Keep, type Subject, who } from './subject.ts';

interface Sent {
  type: string;
  actor: string;
  reason: string;
  at: number;
}

interface Known {
  entityId: string;
  seq: number;
  record: unknown;
}

const moves = edges(taskMachine);
type Move = (typeof moves)[number];

const movesFrom = (from: string) => moves.filter((move) => move.from === from);

let entities = 0;
const fresh = (): Known => ({ entityId: entityId((entities += 1)), seq: 0, record: null });

const sent = (type: string, at: number): Sent => ({
  type,
  actor: who.actor,
  reason: who.reason,
  at: who.at + at,
});

/** The next context: the record that the kernel makes, made by hand where the peers have their users make it. */
function recorded({ entityId, seq }: Known, { type, actor, reason, at }: Sent, { from, to }: Move): Known {
  const record = {
    id: `task:${entityId}:${seq + 1}`,
    machine: 'task',
    version: 1,
    entityType: 'task',
    entityId,
    seq: seq + 1,
    from,
    to,
    event: type,
    kind: 'move',
    actor,
    reason,
    metadata: {},
    at,
  };
  return { entityId, seq: seq + 1, record };
}

function taskChart() {
  const states = taskMachine.states.map((from) => {
    const on = movesFrom(from).map((move) => {
      const actions = assign<Known, Sent, undefined, Sent, never>(({ context, event }) =>
        recorded(context, event, move),
      );
      return [move.event, { target: move.to, actions }] as const;
    });
    return [from, { on: Object.fromEntries(on) }] as const;
  });
  const types = {} as { context: Known; events: Sent };
  return chart({ types, id: 'task', initial: 'OPEN', context: fresh, states: Object.fromEntries(states) });
}

/** xstate as it is meant to be used: an actor takes events and assigns the record to its context. */
export function xstateActor(keep: Keep): Subject {
  const machine = taskChart();
  return {
    pass: ({ event }) => {
      const actor = createActor(machine).start();
      for (let at = 0; at < event.length; at += 1) {
        actor.send(sent(event[at] as string, at));
        keep(actor.getSnapshot().context.record);
      }
      const { value, context } = actor.getSnapshot();
      return value === 'OPEN' ? context.seq : 0;
    },
    instance: () => createActor(machine).start(),
  };
}

/** xstate's pure form. */
export function xstateTransition(keep: Keep): Subject {
  const machine = taskChart();
  return {
    pass: ({ event }) => {
      let [snapshot] = initialTransition(machine);
      for (let at = 0; at < event.length; at += 1) {
        [snapshot] = transition(machine, snapshot, sent(event[at] as string, at));
        keep(snapshot.context.record);
      }
      return snapshot.value === 'OPEN' ? snapshot.context.seq : 0;
    },
    instance: () => initialTransition(machine)[0],
  };
}

/** robot3: a service takes events, a reducer makes the record. */
export function robotService(keep: Keep): Subject {
  const states = taskMachine.states.map((from) => {
    const ways = movesFrom(from).map((move) =>
      edge(
        move.event,
        move.to,
        reduce<Known, Sent>((context, event) => recorded(context, event, move)),
      ),
    );
    return [from, state(...ways)] as const;
  });
  const machine = createMachine('OPEN', Object.fromEntries(states), fresh) as unknown as Machine;
  const start = () => interpret(machine, () => undefined);
  return {
    pass: ({ event }) => {
      const service = start();
      for (let at = 0; at < event.length; at += 1) {
        service.send(sent(event[at] as string, at) as never);
        keep((service.context as Known).record);
      }
      return service.machine.current === 'OPEN' ? (service.context as Known).seq : 0;
    },
    instance: start,
  };
}
