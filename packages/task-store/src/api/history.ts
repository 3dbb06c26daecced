import type { ReplayResult } from '@baton/fsm-core';
import type { AuditHead, AuditBreak, StoredEvent } from '../model/event.ts';

/** Checks and figures. */
export interface AuditApi {
  /**
   * Recomputes the log's chain and compares it with the events, and these with one another and with the rows; lists breaks.
   * `heads` finds what was rewritten or cut off since they were taken, `archiveDir` checks the archived events, too.
   * @throws RECORD_FILE_INVALID
   */
  verify(options?: { heads?: readonly AuditHead[]; archiveDir?: string }): Promise<{
    events: number;
    entities: number;
    /** Events that have left for the archive, and how many of them were found there. */
    archived: number;
    archiveChecked: number;
    headsChecked: number;
    /** Where the log ends; null: nothing was logged yet. */
    head: AuditHead | null;
    /** Committed events that the log does not prove yet, and the age of the oldest in milliseconds (null: none). */
    unlogged: { events: number; oldestMs: number | null };
    broken: AuditBreak[];
  }>;
  counts(runId?: string): Promise<Record<string, number>>;
}

/** What leaves the database. */
export interface ArchiveApi {
  /**
   * Moves the events of entities that have been at rest for so long, all but the newest of each, into files of `dir`. What some
   * reader of the feed has not read yet stays; `slowestReader` is the one who has read least.
   */
  write(options: { dir: string; olderThanMs: number; dryRun?: boolean }): Promise<{
    entities: number;
    events: number;
    files: string[];
    slowestReader: { name: string; position: number } | null;
  }>;
  /**
   * Deletes streams of agents that ended, checkpoint logs of attempts whose task is settled, and answers of commands, older than
   * that; what is left out stays. Returns how many.
   */
  prune(options: {
    agentEventsMs?: number;
    checkpointsMs?: number;
    commandsMs?: number;
  }): Promise<{ agentEvents: number; checkpoints: number; commands: number }>;
  /**
   * Folds a history by the kernel, from where its archived part ends: the entity's state, or what is wrong with its moves.
   * Null: nothing is recorded of it.
   */
  replay(entity: {
    machine: Exclude<StoredEvent['machine'], 'run'>;
    entityId: string;
  }): Promise<ReplayResult | null>;
  /** Where the archived part of a history ends: what `replay` of the rest starts from. Null: nothing was archived. */
  before(entity: {
    machine: StoredEvent['machine'];
    entityId: string;
  }): Promise<{ state: string; seq: number; events: number } | null>;
}
