import type { AgentEvent } from '@baton/contracts';

/** A committed move of a machine, as the store's event feed gives it. */
export interface Move {
  /** Dense, gap-free place in the feed. */
  position: number;
  machine: 'task' | 'agent' | 'turn' | 'cognitive' | 'execution' | 'run';
  /** Task, session, attempt or run, by machine. Events of one entity come in order. */
  entityId: string;
  runId: string | null;
  taskId: string | null;
  /** Key and title of that task, for people; null: it is about no task, or about one that is gone. */
  taskKey: string | null;
  taskTitle: string | null;
  seq: number;
  from: string | null;
  to: string;
  event: string;
  /** What the producer called the event, where the machine has a second name for it. */
  alias: string | null;
  kind: 'created' | 'move' | 'override' | 'refused' | 'late_report';
  actor: string;
  reason: string;
  transitionReason: string | null;
  abortReason: string | null;
  metadata: Readonly<Record<string, unknown>>;
  at: Date;
}

/** Something an agent streamed. Its text is data from outside. */
export interface StreamItem {
  position: number;
  machine: 'stream';
  /** The agent session. */
  entityId: string;
  runId: string | null;
  taskId: string | null;
  attemptId: string | null;
  event: AgentEvent;
  at: Date;
}

/** What observers get. */
export type FeedItem = Move | StreamItem;

type Unnumbered<T> = T extends FeedItem ? Omit<T, 'position'> & { position: number | null } : never;

/** What a feed gives to read: an item without a position is not numbered yet and ends the page. */
export type ReadItem = Unnumbered<FeedItem>;
