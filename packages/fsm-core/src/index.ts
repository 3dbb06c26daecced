export { can, canMoveTo, decide, moveTo, override } from './decide.ts';
export type { DecisionOf, TargetDriven } from './decide.ts';
export type {
  Alias,
  AliasOf,
  Completed,
  ContextOf,
  DynamicTarget,
  EventOf,
  GroupRef,
  MachineDefinition,
  NewMachine,
  OverrideRule,
  PatchMove,
  Rule,
  StateOf,
  TransitionErrorName,
} from './definition.ts';
export {
  ExecutionTransitionError,
  IllegalTransitionError,
  InvalidStateTransition,
  InvalidTransitionError,
  MachineDefinitionError,
  TransitionError,
} from './errors.ts';
export type { RefusalCode, TransitionErrorDetails } from './errors.ts';
export { edges, isActive, isTerminal, matrix, reachableFrom, shortestPath, sinks } from './inspect.ts';
export type { Edge, Matrix, WithActiveGroup } from './inspect.ts';
export { defineMachine } from './machine.ts';
export { agentMachine } from './machines/agent.ts';
export type { AgentStatus } from './machines/agent.ts';
export { machines } from './machines/all.ts';
export type { MachineId } from './machines/all.ts';
export { cognitiveMachine } from './machines/cognitive.ts';
export type { CognitiveState } from './machines/cognitive.ts';
export { executionMachine } from './machines/execution.ts';
export type { ExecutionState } from './machines/execution.ts';
export { taskMachine } from './machines/task.ts';
export type { TaskStatus } from './machines/task.ts';
export { turnMachine } from './machines/turn.ts';
export type { TurnState } from './machines/turn.ts';
export type { LegalEvent, NextState } from './next-state.ts';
export { ABORT_REASONS, abortReasonOf, EXECUTION_TRIGGERS, TRANSITION_REASONS } from './reasons.ts';
export type { AbortReason, ExecutionTrigger, ProcessEnd, TransitionReason } from './reasons.ts';
export { toLifecycleEvent, toStateTransition } from './record.ts';
export type {
  EventInput,
  LifecycleEvent,
  MoveInput,
  RecordKind,
  Snapshot,
  StateTransition,
  TransitionRecord,
} from './record.ts';
export type { Accepted, Decision, Refused } from './step.ts';
export { transition } from './transition.ts';
export { validate } from './validate.ts';
export { CONTAINED, planAbort, propagateAbort } from './abort-chain.ts';
export type {
  AbortPlan,
  AbortPolicy,
  AbortRequest,
  AbortScope,
  AbortStep,
  SessionLink,
} from './abort-chain.ts';
export {
  checkpointOf,
  checkpointTiming,
  reflectionCheckpoint,
  replayCheckpoints,
} from './cognitive/checkpoint.ts';
export type {
  Checkpoint,
  CheckpointTiming,
  DeltaCheckpoint,
  FullCheckpoint,
  ReflectionCheckpoint,
} from './cognitive/checkpoint.ts';
export { CheckpointLogError, printCheckpoint, readCheckpointLog } from './cognitive/checkpoint-log.ts';
export type { CheckpointLog } from './cognitive/checkpoint-log.ts';
export { EMPTY_CONTEXT } from './cognitive/context.ts';
export type {
  ActionResult,
  Message,
  PostTaskReflection,
  Reflection,
  TaskContext,
} from './cognitive/context.ts';
export { completionRoute, currentStep, hasMoreSteps, markStepDone } from './cognitive/plan.ts';
export type { Plan, PlanStep } from './cognitive/plan.ts';
export { createTaskRegistry, TaskNotFoundError } from './cognitive/registry.ts';
export type { RegistryOptions, TaskRegistry } from './cognitive/registry.ts';
export { advanceTask, createCognitiveTask, withContext } from './cognitive/task.ts';
export type { AdvancedTask, CognitiveEvent, CognitiveTask, TaskInput } from './cognitive/task.ts';
export { toMarkdownTable, toMermaid } from './diagram.ts';
export {
  parseExecutionState,
  printExecutionState,
  toActivityState,
  toAgentStatus,
  UnknownExecutionStateError,
} from './execution.ts';
export type { ActivityState, ApiAgentStatus } from './execution.ts';
export { executionBeside, projectExecution } from './project-execution.ts';
export type { ExecutionView } from './project-execution.ts';
export { recordRefusal } from './refusal.ts';
export type { RefusedMove } from './refusal.ts';
export { replay } from './replay.ts';
export type { ReplayResult, Violation } from './replay.ts';
export { classifyVisualState, defaultVisualThresholds, VISUAL_STATES } from './visual-state.ts';
export type { Instant, VisualInput, VisualState, VisualThresholds } from './visual-state.ts';
