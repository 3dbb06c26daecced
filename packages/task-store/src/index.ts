export type {
  Actor,
  ClaimRequest,
  Fact,
  NewClaim,
  NewRun,
  PersonsWords,
  Progress,
  RecordOutcome,
  RunDefaults,
  RunDraft,
  Speaker,
  Store,
  StorePart,
} from './api.ts';
export type { PastDuration, PolicyApi, TrustDecision, TrustStanding } from './api-policy.ts';
export { assembleBatch, type BatchCandidate } from './assemble-batch.ts';
export { defaultCostMicroUsd, reservationFor } from './default-cost.ts';
export { migrate, migrateOnce } from './migrate.ts';
export {
  completionBudget,
  type BudgetStage,
  type CompletionBudget,
  type Lineage,
} from './moves/completion-budget.ts';
export { decideFact, type Reporter } from './moves/coupled-moves.ts';
export type { Planned } from './moves/planner.ts';
export type { AttemptState, Item, SessionState, Situation, TaskState } from './moves/situation.ts';
export type { StoreOptions } from './open.ts';
export { openStore } from './store.ts';
export { reasonOf, saidOf, whyEnded } from './explain-answer.ts';
export { runOfPlan } from './run-of-plan.ts';
export { hashOf } from './runs.ts';
export type {
  AgentSession,
  Approval,
  Attempt,
  AuditBreak,
  AuditHead,
  Cause,
  Claim,
  ClaimedTask,
  Explanation,
  RootCause,
  LaneWaitCause,
  FeedEvent,
  HeadPlace,
  Holding,
  KnownProcesses,
  Lane,
  LandingWork,
  LostHead,
  OpenIntent,
  Page,
  Repo,
  Run,
  RunGraph,
  RunStatus,
  StoredEvent,
  StoredVerdict,
  Task,
  WithdrawnAgent,
  Worker,
} from './types.ts';
export {
  decideTrust,
  trustLevel,
  trustLevels,
  trustRecord,
  type TrustCase,
  type TrustLevel,
  type TrustMove,
  type TrustOutcome,
  type TrustRecord,
  type TrustSubject,
  type TrustVerdict,
} from './trust.ts';
