import type { ApprovalsApi, LanesApi, PullRequestsApi } from './landing.ts';
import type { TransferApi } from './transfer.ts';
import type { ArchiveApi, AuditApi } from './history.ts';
import type { CommandsApi } from './commands.ts';
import type { KeysApi } from './keys.ts';
import type { InboxApi } from './inbox.ts';
import type { FeedApi } from './feed.ts';
import type { WorkersApi } from './workers.ts';
import type { PolicyApi } from './trust.ts';
import type { CheckpointsApi } from './checkpoints.ts';
import type { RunsApi } from './runs.ts';
import type { StreamsApi } from './streams.ts';
import type { ClaimsApi } from './claims.ts';
import type { TasksApi } from './tasks.ts';

/**
 * The only writer of Baton's state, in groups by subject. Guarantee: at-least-once execution, exactly-once effect, no event ever missed.
 */
export interface Store {
  /** Runs: made from plans, paused, resumed, ended. */
  readonly runs: RunsApi;
  /** Tasks of a run, what is known of them, and what people do with them. */
  readonly tasks: TasksApi;
  /** Who works on what: claims, leases, and the facts that holders report. */
  readonly claims: ClaimsApi;
  /** What agents say and spend while they work. */
  readonly streams: StreamsApi & CheckpointsApi;
  /** Finished work on its way to a target branch. */
  readonly lanes: LanesApi;
  /** Finished work that somebody merges at a code host. */
  readonly pullRequests: PullRequestsApi;
  /** Work that waits for a person. */
  readonly approvals: ApprovalsApi;
  /** What agents have shown, and how far they are trusted. */
  readonly trust: PolicyApi;
  /** The processes that carry out tasks. */
  readonly workers: WorkersApi;
  /** Every event, by position, and who is woken by it. */
  readonly feed: FeedApi;
  /** Events from outside, each taken once. */
  readonly inbox: InboxApi;
  /** Ids of commands, and what they were used for. */
  readonly commands: CommandsApi;
  /** Keys of the API. */
  readonly keys: KeysApi;
  /** Proof that the record is complete and unchanged. */
  readonly audit: AuditApi;
  /** What is over and leaves the database, and how it is read again. */
  readonly archive: ArchiveApi;
  /** A whole store as lines of text. */
  readonly transfer: TransferApi;
  readonly url: string;
  /** Made once per database: distinguishes its lanes from those of another store on the same repository. */
  readonly storeId: string;
  close(): Promise<void>;
}

/** What a function needs of a store, by group: `StorePart<{ tasks: 'get' | 'attempts'; runs: 'get' }>`. */
export type StorePart<Parts extends { readonly [Group in keyof Store]?: keyof Store[Group] }> = {
  readonly [Group in keyof Parts & keyof Store]: Pick<Store[Group], Parts[Group] & keyof Store[Group]>;
};
