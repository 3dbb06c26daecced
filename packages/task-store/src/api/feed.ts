import type { FeedEvent } from '../model/event.ts';

/** The feed of events. */
export interface FeedApi {
  /** Numbers committed events; one process at a time by advisory lock. Returns how many changes. */
  sequence(): Promise<number>;
  read(options: { after: number; limit: number; runId?: string }): Promise<FeedEvent[]>;
  position(): Promise<number>;
  /** Calls `wake` (coalesced) when work or events appear, and polls: polling is the truth. Returns how to stop. */
  onWake(channel: 'work' | 'events', wake: () => void): Promise<() => Promise<void>>;
  getCursor(name: string): Promise<number>;
  setCursor(name: string, position: number): Promise<void>;
}
