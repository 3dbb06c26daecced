import type { AgentEvent } from '@baton/contracts';

/** A fact that moves the turn of a task. */
export type TurnFact = 'tool_started' | 'tool_ended' | 'compaction_started' | 'compaction_ended';

/** Keeps count of what an agent has open, and says which of its events move the turn. */
export interface TurnFacts {
  /** The facts to report for one event, in order; often none. */
  of(event: AgentEvent): TurnFact[];
  /** Closes what is still open, before "done" or "failed". */
  close(): TurnFact[];
}

/**
 * Of parallel tool calls only the first start and the last end move the turn; a compaction closes them first
 * (docs/spec/kernel.md#coupled-steps).
 */
export function createTurnFacts(): TurnFacts {
  const open = new Set<string>();
  let compacting = false;
  const closeTools = (): TurnFact[] => {
    if (open.size === 0) return [];
    open.clear();
    return ['tool_ended'];
  };
  const close = (): TurnFact[] => {
    const facts = closeTools();
    if (!compacting) return facts;
    compacting = false;
    return [...facts, 'compaction_ended'];
  };
  return {
    of(event) {
      switch (event.type) {
        case 'tool_started':
          if (compacting) return [];
          open.add(event.toolId);
          return open.size === 1 ? ['tool_started'] : [];
        case 'tool_completed':
          if (!open.delete(event.toolId)) return [];
          return open.size === 0 ? ['tool_ended'] : [];
        case 'compaction_started': {
          if (compacting) return [];
          const facts = closeTools();
          compacting = true;
          return [...facts, 'compaction_started'];
        }
        case 'compaction_ended':
          if (!compacting) return [];
          compacting = false;
          return ['compaction_ended'];
        case 'ready':
        case 'message':
        case 'permission_requested':
        case 'usage':
        case 'unmeasured':
        case 'plan':
        case 'rate_limited':
        case 'finished':
          return [];
      }
    },
    close,
  };
}
