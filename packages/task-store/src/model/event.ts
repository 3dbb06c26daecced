/** One record of one move of one machine (docs/spec/kernel.md#records), as stored. */
export interface StoredEvent {
  /** The number of its change and its place in it, apart by a dot. */
  id: string;
  /** Dense, gap-free place in the feed; null until the sequencer numbered it. */
  position: number | null;
  machine: 'task' | 'agent' | 'turn' | 'cognitive' | 'execution' | 'run';
  /** Version of the machine's definition that decided. */
  version: number;
  entityId: string;
  runId: string | null;
  taskId: string | null;
  seq: number;
  from: string | null;
  to: string;
  event: string;
  alias: string | null;
  kind: 'created' | 'move' | 'override' | 'refused' | 'late_report';
  actor: string;
  reason: string;
  transitionReason: string | null;
  abortReason: string | null;
  trigger: string | null;
  metadata: Record<string, unknown>;
  at: Date;
}

/** A record as the feed gives it: its reader need not ask whose it is. */
export interface FeedEvent extends StoredEvent {
  /** Key and title of its task; null: it is about no task, or about one that is gone. */
  taskKey: string | null;
  taskTitle: string | null;
}

/** One break of the record. Of the log itself: machine `log`, entity `position`, and the position as `seq`. */
export interface AuditBreak {
  machine: string;
  entityId: string;
  seq: number;
  what: string;
}

/** Where the log ended at some moment. One that is kept elsewhere proves all events before it, their order and that none is gone. */
export interface AuditHead {
  /** The position after its last event. */
  next: number;
  /** SHA-256 over all events before it, as 64 hexadecimal digits. */
  hash: string;
}
