import { decide, edges, machines, moveTo } from '@baton/fsm-core';
import type { EventInput, MachineDefinition, TargetDriven } from '@baton/fsm-core';
import { entityId, who } from './subject.ts';

/** How a process got to know the kernel before it is measured: what is compiled depends on it. */
export type Prelude = 'none' | 'machines' | 'shapes';

const rounds = 20_000;

/**
 * Takes many moves in all five machines, legal and refused, by event and by target; `shapes` gives the kernel inputs with
 * other fields in other orders too, which makes every read of a field a search.
 */
export function play(prelude: Prelude): void {
  if (prelude === 'none') return;
  for (const machine of Object.values(machines) as MachineDefinition<string>[]) {
    const moves = edges(machine);
    for (let turn = 0; turn < rounds; turn += 1) {
      const at = who.at + turn;
      const { from, event, to } = moves[turn % moves.length] ?? { from: '', event: '', to: '' };
      const entity = { entityId: `e${turn}`, state: from, seq: turn % 50, context: machine.emptyContext };
      const { actor, reason } = who;
      const id = entityId(turn);
      decide(machine, entity, { id, type: event, actor, reason, at });
      decide(machine, entity, { id, type: 'unheard-of', actor, reason, at });
      if (machine.drivenBy === 'target')
        moveTo(machine as TargetDriven, entity, to as never, { id, actor, reason, at });
      if (prelude === 'shapes')
        decide(machine, entity, shapes[turn % shapes.length]?.(event, at) as EventInput);
    }
  }
}

const shapes: readonly ((type: string, at: number) => EventInput)[] = [
  (type, at) => ({ ...who, type, at }),
  (type, at) => ({ type, actor: 'a', reason: 'b', at }),
  (type, at) => ({ at, type, reason: 'b', actor: 'a', expectSeq: 7 }),
  (type, at) => ({ type, actor: 'a', reason: 'b', transitionReason: 'completed', at }),
  (type, at) => ({ actor: 'a', type, reason: 'b', at, metadata: { at }, trigger: 'spawn' }),
  (type, at) => ({ reason: 'b', actor: 'a', type, at, abortReason: 'timeout' }),
];
