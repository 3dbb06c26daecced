export { errorCodes, type ErrorCode } from './error-codes.ts';
export { errorReference } from './error-reference.ts';
export { BatonError, errorText, type BatonErrorOptions } from './error.ts';
export { parseInput, inputIssues, type InputIssue } from './parse.ts';
export { branch, isBranchName, isRepoLocation, repoLocation, repoPlace } from './git-names.ts';
export { personsWords } from './persons-words.ts';
export { printable, printableJson, printableLine } from './printable.ts';
export type {
  CheckPlace,
  Clock,
  Exec,
  ExecOptions,
  ExecResult,
  Git,
  GitOptions,
  Ids,
  Log,
  PlaceRun,
  PlaceRunOptions,
} from './ports.ts';
export { runSlug, slugStem } from './run-slug.ts';
export { commandText, shellText, shellWord } from './shell-text.ts';
export { age, argv, duration, microUsd, pathPrefix, prices, repoPath, usd } from './units.ts';
export { audit, dependencyRules, type Audit, type DependencyRules } from './audit.ts';
export { dependencyRulesOf, modelAliases, routingOf, runRouting, type RunRouting } from './prices.ts';
export { review, reviewAnswer, type Review, type ReviewAnswer } from './review.ts';
export {
  coverageReport,
  flakyAboveOf,
  isFlaky,
  gate,
  gateWindow,
  settledGates,
  type CoverageReport,
  type Gate,
} from './gates.ts';
export {
  agentDefinition,
  completionSignal,
  complexity,
  draftTask,
  effort,
  keyName,
  newTask,
  risk,
  scope,
  taskDraft,
  taskSource,
  type AgentDefinition,
  type CompletionSignal,
  type Effort,
  type NewTask,
  type Scope,
  type TaskDraft,
  type TaskSource,
} from './task.ts';
export {
  plan,
  planStage,
  planStep,
  settledSetup,
  workspaceSetup,
  type History,
  type Plan,
  type PlanStep,
  type WorkspaceSetup,
} from './plan.ts';
export {
  repoConfig,
  retention,
  reviewer,
  type Retention,
  type Reviewer,
  routing,
  type RepoConfig,
  type Routing,
} from './repo-config.ts';
export { findCycle } from './find-cycle.ts';
export {
  candidatesStand,
  draftOfStep,
  filesAreStrict,
  historyOf,
  keyFromTitle,
  planTasks,
  requestsInto,
  verifiesAhead,
  weakenedIsHeld,
} from './plan-tasks.ts';
export { commitStyle, commitStyleOf, splitIdentity, type CommitStyle } from './commits.ts';
export { agentEvent, type AgentEvent, type AgentOutcome } from './agent-event.ts';
export { usage, type Usage } from './usage.ts';
export { notUtf8, utf8Text, type Utf8Text } from './utf8-text.ts';
export { checkResult, verdict, type CheckResult, type Verdict } from './verdict.ts';
export { causeOfVariables, causeVariables, type EventCause } from './cause.ts';
export { triggerEvent, type TriggerEvent } from './trigger-event.ts';
