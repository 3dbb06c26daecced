import type { AbortReason } from '@baton/fsm-core';
import type { StopReason } from '../context/stop-reason.ts';
import type { Overspent } from './bookings.ts';
import type { AgentEvent } from '@baton/contracts';

/** How the agent's part of a task went. */
export interface AgentResult {
  finished: Finished;
  /** Set when we asked the agent to stop. */
  stopped: StopReason | null;
  /** The reason that the agent then got. */
  abortReason: AbortReason | null;
  /** Whether a process was there at all. */
  spawned: boolean;
  overspent: Overspent;
  /** Whether all that it spent is known. */
  measured: boolean;
}

export type Finished = Extract<AgentEvent, { type: 'finished' }>;
