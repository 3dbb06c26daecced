/** When tasks share an agent: never, where more of them are ready than agents can be started, or always. */
export type Sharing = 'never' | 'crowded' | 'always';

/** What is known of the ready tasks, the head included, and of the agents that could be started for them, the asker's included. */
export interface BatchRoom {
  sharing: Sharing;
  /** The plan's `batch_size` and what the asker takes at most. */
  limit: number;
  ready: number;
  /** Null: the asker did not say how many it could start. */
  slots: number | null;
}

/**
 * How many tasks the next agent takes. Tasks that could be done side by side never wait behind one another: they share an agent
 * only where more are ready than agents can be started, and then in equal parts. Pure.
 */
export function batchSize({ sharing, limit, ready, slots }: BatchRoom): number {
  if (sharing === 'never') return 1;
  if (sharing === 'always' || slots === null) return limit;
  return Math.max(1, Math.min(limit, Math.ceil(ready / Math.max(1, slots))));
}
