import type { AliasOf, ContextOf, EventOf, MachineDefinition, StateOf } from './definition.ts';
import { decide, moveTo, type TargetDriven } from './decide.ts';
import { type RefusalCode, transitionError } from './errors.ts';
import type { LegalEvent, NextState } from './next-state.ts';
import type { EventInput, MoveInput, Snapshot } from './record.ts';
import type { Accepted } from './step.ts';
import { tableOf } from './table.ts';

const BARE_INPUT = { actor: '', reason: '', at: 0 } as const;

function wayOut(machine: MachineDefinition<string>, from: string, code: RefusalCode): string {
  if (code === 'stale') return 'Read the entity again and decide on its current seq.';
  if (code === 'guard') return "The rule's own condition does not hold; meet it first.";
  const row = tableOf(machine).byEvent[from];
  if (row === undefined) return `Known states: ${machine.states.join(', ')}.`;
  const legal = Object.entries(row).map(([event, cell]) => `${event} → ${cell?.targets.join(' or ') ?? ''}`);
  return legal.length === 0 ? 'The state is final.' : `Legal here: ${legal.join(', ')}.`;
}

/** What {@link transition} takes as its event: an event by `type`, or for target-driven machines a target by `to`. */
type Asked = EventInput | (MoveInput & { readonly to: string });

function transitionSnapshot(machine: MachineDefinition<string>, snapshot: Snapshot, asked: Asked): Accepted {
  const decision =
    'to' in asked
      ? moveTo(machine as TargetDriven & MachineDefinition<string>, snapshot, asked.to, asked)
      : decide(machine, snapshot, asked);
  if (decision.ok) return decision;
  throw transitionError(machine.error, {
    machine: machine.id,
    entityId: snapshot.entityId,
    from: snapshot.state,
    event: 'to' in asked ? undefined : asked.type,
    to: 'to' in asked ? asked.to : undefined,
    code: decision.code,
    fix: wayOut(machine, snapshot.state, decision.code),
  });
}

function transitionState(machine: MachineDefinition<string>, from: string, event: string): string {
  const step = tableOf(machine).byEvent[from]?.[event]?.step;
  if (step) return step.to;
  const snapshot = { entityId: '', state: from, seq: 0, context: machine.emptyContext };
  const decision = decide(machine, snapshot, { ...BARE_INPUT, type: event });
  if (decision.ok) return decision.snapshot.state;
  const { code } = decision;
  throw transitionError(machine.error, {
    machine: machine.id,
    from,
    event,
    code,
    fix: wayOut(machine, from, code),
  });
}

/**
 * The throwing form of `decide` and `moveTo`.
 *
 * - `transition(machine, 'OPEN', 'claim')` returns the next state. Literals that no rule allows do not compile; plain
 *   strings are checked at run time. A dynamic cell is decided on the machine's empty context.
 * - `transition(machine, snapshot, { type, … })` and, for target-driven machines, `transition(machine, snapshot, { to, … })`
 *   return the accepted decision.
 *
 * @throws the error class of the machine: IllegalTransitionError (task, agent), InvalidTransitionError
 * (turn), InvalidStateTransition (cognitive), ExecutionTransitionError (execution)
 */
export function transition<M extends MachineDefinition, const F extends string, const E extends string>(
  machine: M,
  from: F,
  event: LegalEvent<M, F, E>,
): NextState<M, F, E>;
export function transition<M extends MachineDefinition, C extends ContextOf<M>>(
  machine: M,
  snapshot: Snapshot<StateOf<M>, C>,
  event: EventInput<EventOf<M> | AliasOf<M>>,
): Accepted<StateOf<M>, EventOf<M>, C>;
export function transition<M extends TargetDriven, C extends ContextOf<M>>(
  machine: M,
  snapshot: Snapshot<StateOf<M>, C>,
  target: MoveInput & { readonly to: StateOf<M> },
): Accepted<StateOf<M>, EventOf<M>, C>;
export function transition(
  machine: MachineDefinition<string>,
  from: string | Snapshot,
  event: string | Asked,
): string | Accepted {
  if (typeof from === 'string') return transitionState(machine, from, event as string);
  return transitionSnapshot(machine, from, event as Asked);
}
