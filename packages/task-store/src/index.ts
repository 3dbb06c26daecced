export type { Store, StorePart } from './api/store.ts';
export type {
  Actor,
  ClaimRequest,
  NewClaim,
  PersonsWords,
  RunDefaults,
  RunDraft,
  Speaker,
} from './model/requests.ts';
export type { Fact, Progress, RecordOutcome } from './model/fact.ts';
export type { NewRun } from './model/new-run.ts';
export type { GateRecord, PastDuration, PolicyApi, TrustDecision, TrustStanding } from './api/trust.ts';
export { assembleBatch, type BatchCandidate } from './decide/assemble-batch.ts';
export { defaultCostMicroUsd, reservationFor } from './decide/default-cost.ts';
export { migrate, migrateOnce } from './db/migrate.ts';
export { isDatabaseAway } from './db/pg-error.ts';
export { completionBudget } from './decide/completion-budget.ts';
export {
  type Lineage,
  type AttemptState,
  type Item,
  type SessionState,
  type Situation,
  type TaskState,
} from './decide/situation.ts';
export {
  type CompletionBudget,
  type BudgetStage,
  type TrustVerdict,
  type TrustCase,
  type TrustRecord,
  type TrustOutcome,
  type TrustSubject,
  type TrustMove,
  type TrustLevel,
  trustLevels,
} from './model/trust.ts';
export { decideFact, type Reporter } from './decide/decide-fact.ts';
export type { Planned } from './decide/plan-state.ts';
export type { StoreOptions } from './open.ts';
export { openStore } from './store.ts';
export { reasonOf, saidOf, whyEnded } from './explain/answer.ts';
export { carryCommand, type CarryPlace } from './explain/carry.ts';
export { runOfPlan } from './runs/run-of-plan.ts';
export { hashOf } from './runs/gates-hash.ts';
export { budgetRefusal } from './runs/set-budget.ts';
export type {
  AgentSession,
  Attempt,
  Claim,
  ClaimedTask,
  Holding,
  ListedSession,
  Task,
} from './model/task.ts';
export type {
  Approval,
  Lane,
  LandingWork,
  LostHead,
  OpenIntent,
  PullRequest,
  RequestNote,
  StoredVerdict,
} from './model/landing.ts';
export type { HeadPlace } from './model/head-place.ts';
export type { Cause, Explanation, RootCause, LaneWaitCause, KnownProcesses } from './model/explanation.ts';
export type { WithdrawnAgent, Worker } from './model/worker.ts';
export type { ConflictNote, ExpectedConflict, WorkUnderWay } from './model/expected-conflict.ts';
export type { Page } from './model/page.ts';
export type { AuditHead, AuditBreak, FeedEvent, StoredEvent } from './model/event.ts';
export type { RunGraph, Run, Repo, RunStatus } from './model/run.ts';
export { decideTrust, trustLevel, trustRecord } from './decide/trust.ts';
