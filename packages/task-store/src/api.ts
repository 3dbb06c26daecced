import type {
  ApprovalsApi,
  ArchiveApi,
  AuditApi,
  FeedApi,
  InboxApi,
  KeysApi,
  LanesApi,
  TransferApi,
  WorkersApi,
} from './api-around.ts';
import type { PolicyApi } from './api-policy.ts';
import type { CheckpointsApi } from './api-checkpoints.ts';
import type { ClaimsApi, RunsApi, StreamsApi, TasksApi } from './api-work.ts';

export type { Fact, Progress, RecordOutcome } from './facts.ts';
export type { NewRun } from './new-run.ts';
export type {
  Actor,
  ClaimRequest,
  NewClaim,
  PersonsWords,
  RunDefaults,
  RunDraft,
  Speaker,
} from './requests.ts';

/** The only writer of Baton's state. Guarantee: at-least-once execution, exactly-once effect, no event ever missed. */
export interface Store
  extends
    RunsApi,
    TasksApi,
    ClaimsApi,
    StreamsApi,
    CheckpointsApi,
    LanesApi,
    ApprovalsApi,
    PolicyApi,
    WorkersApi,
    FeedApi,
    InboxApi,
    KeysApi,
    AuditApi,
    ArchiveApi,
    TransferApi {
  readonly url: string;
  /** Made once per database: tells its lanes from those of another store on the same repository. */
  readonly storeId: string;
  close(): Promise<void>;
}
