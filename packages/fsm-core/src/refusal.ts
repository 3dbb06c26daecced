import type { MachineDefinition, StateOf } from './definition.ts';
import type { RefusalCode } from './errors.ts';
import type { EventInput, MoveInput, Snapshot, TransitionRecord } from './record.ts';

/** A move that was asked for and denied. Without a move there is no seq to make an id of, so the caller gives one. */
export interface RefusedMove {
  readonly id: string;
  readonly code: RefusalCode;
  readonly asked: EventInput | (MoveInput & { readonly to: string });
}

/**
 * Makes the record of a refused move, for those who count or audit them. It moves nothing: `from` and `to` are the state
 * that stays, `seq` is not advanced; the metadata hold the `code`, and `wanted` where a target was asked for.
 */
export function recordRefusal<M extends MachineDefinition>(
  machine: M,
  snapshot: Snapshot<StateOf<M>>,
  { id, code, asked }: RefusedMove,
): TransitionRecord<StateOf<M>> {
  const wanted = 'to' in asked ? { wanted: asked.to } : {};
  return {
    id,
    machine: machine.id,
    version: machine.version,
    entityType: machine.entityType,
    entityId: snapshot.entityId,
    seq: snapshot.seq,
    from: snapshot.state,
    to: snapshot.state,
    event: 'to' in asked ? 'move_to' : asked.type,
    alias: undefined,
    kind: 'refused',
    actor: asked.actor,
    reason: asked.reason,
    transitionReason: asked.transitionReason,
    abortReason: asked.abortReason,
    trigger: asked.trigger,
    metadata: { ...asked.metadata, code, ...wanted },
    at: asked.at,
  };
}
