import type { Worker, WithdrawnAgent } from '../model/worker.ts';
import type { ConflictNote } from '../model/expected-conflict.ts';
import type { Actor } from '../model/requests.ts';

/** Registered nodes. */
export interface WorkersApi {
  register(worker: Omit<Worker, 'status' | 'heartbeatAt' | 'silentMs' | 'withdrawn'>): Promise<Worker>;
  /** Answers with the time of the database, by which leases and pauses count. @throws NOT_FOUND */
  heartbeat(id: string): Promise<{ status: Worker['status']; at: Date }>;
  /**
   * `draining`: from the moment that this has come back no claim of the worker takes anything; one that is offline stays so.
   * `offline` also frees the worker's lanes and what it had taken to land or to settle: only for one that is gone. @throws NOT_FOUND
   */
  setStatus(id: string, status: Worker['status'], by: Actor): Promise<void>;
  list(): Promise<Worker[]>;
  /** Which agents a worker cannot start at present, in place of those said before. */
  setWithdrawn(id: string, withdrawn: readonly WithdrawnAgent[]): Promise<void>;
  /** Which work in progress would conflict, as a worker found it, in place of what it found before; at most 200 notes are kept. */
  setExpectedConflicts(id: string, notes: readonly ConflictNote[]): Promise<void>;
}
