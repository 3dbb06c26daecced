export { createExec } from './exec.ts';
export { killTree, sweepMarked, type KillReport, type KillTarget } from './kill-tree.ts';
export { limitMarks, type LimitMarks } from './limit-mark.ts';
export { isAlive, markerVariable, processStart, type ProcessRef } from './process-table.ts';
export { createGit, requireGit, validateRefName } from './git.ts';
export { page } from './pager.ts';
export { createReadingGit, type ReadingGit } from './reading-git.ts';
export { missingObjects, requireCompleteCommit, type CommitPlace } from './complete-commit.ts';
export { inspectRepository, type RepositoryFacts } from './inspect-repository.ts';
export {
  attemptRef,
  openClone,
  ownRef,
  leftOutRef,
  salvageRef,
  type AttemptKey,
  type Clone,
  type OpenCloneOptions,
  type SalvageRef,
} from './workspace/clone.ts';
export {
  dropPublished,
  fetchHead,
  fetchHeadFromClone,
  publishedHeads,
  publishRefs,
  type KeptHead,
  type Published,
} from './workspace/heads.ts';
export { journalFolder, recordActs, type JournalPlace, type JournalRecord } from './keep/journal.ts';
export { placeOf, type KeepAct, type KeepRules } from './keep/keep-act.ts';
export type { KeepOptions, KnownRun } from './keep/plan-keep.ts';
export { tidyState, type Tidied, type TidyOptions } from './keep/tidy-state.ts';
export { createWorkspacePool, type WorkspacePool, type WorkspacePoolOptions } from './workspace/pool.ts';
export {
  createVerifyPool,
  type PlaceWish,
  type VerifyPool,
  type VerifyPoolOptions,
} from './verification/verify-pool.ts';
export type { SetUpName } from './verification/name-set-up.ts';
export {
  findIsolation,
  type FindIsolationOptions,
  type Isolation,
  type IsolationWish,
} from './verification/isolation.ts';
export type { Namespaces } from './verification/enter.ts';
export type { Workspace, WorkspaceState } from './workspace/workspace.ts';
export {
  commitTask,
  startTask,
  type CommitTaskOptions,
  type StartTaskOptions,
  type TaskCommit,
  type TaskStart,
} from './workspace/task.ts';
export { salvage } from './workspace/salvage.ts';
export { listSalvage, restoreSalvage, type SalvagedTree } from './workspace/restore.ts';
export { listSetAside, type SetAside } from './workspace/set-aside.ts';
export type { LeftOut, LeftOutReason } from './workspace/left-out.ts';
export { listLeftOut, type LeftOutRecord } from './workspace/left-out-record.ts';
export { insideOnly, isInside } from './inside-worktree.ts';
export { defaultAgentLimits, openAgent, type OpenAgentOptions } from './open-agent.ts';
export { runAgent, type AgentRun, type RunAgentOptions } from './run-agent.ts';
export {
  abortReasons,
  type AbortReason,
  type AdapterName,
  type AgentAdapter,
  type AgentCapabilities,
  type AgentContext,
  type AgentLimits,
  type AgentRunner,
  type Finished,
  type PermissionPolicy,
  type PermissionRequest,
  type TaskFile,
  type TaskHandlers,
  type TaskRequest,
} from './agent-adapter.ts';
export { acpAdapter } from './adapters/acp.ts';
export { commandAdapter } from './adapters/command.ts';
export { inProcessAdapter } from './adapters/in-process/adapter.ts';
export { beginOrResume } from './adapters/in-process/begin.ts';
export { openCheckpointFile, type CheckpointFile } from './adapters/in-process/checkpoint-file.ts';
export { checkTool, type CheckToolOptions } from './adapters/in-process/check-tool.ts';
export { fileTools } from './adapters/in-process/file-tools.ts';
export type { CognitiveEnd, CognitiveOptions } from './adapters/in-process/mind.ts';
export { modelAdapter, type ModelAdapterOptions } from './adapters/in-process/model-adapter.ts';
export { runCognitiveTask } from './adapters/in-process/run-cognitive-task.ts';
export { defineTool, type CognitiveTool, type ToolDraft } from './adapters/in-process/tool.ts';
export { removeTree } from './verification/remove-tree.ts';
export { agentsHere, type AgentHere, type FoundProgram } from './agents-here.ts';
export { agentModels, type AgentModels } from './agent-models.ts';
export { probeAgent, type AgentAnswer } from './probe-agent.ts';
export type { Login } from './login.ts';
export {
  agentByAlias,
  builtinAgent,
  checkAgent,
  installHint,
  installedAgents,
  knownAgentOf,
  knownAgents,
  type InstalledAgent,
} from './registry.ts';
export { agentEnvironment, type AgentEnvironmentOptions } from './environment.ts';
export { redactor, secretValues } from './redact.ts';
export { renderPrompt, roles, type PromptInput, type PromptTask } from './prompt.ts';
export { orphanSweep } from './supervise/process-records.ts';
export { costTellers, silentAgents, type AcpAgent, type UsageSource } from './adapters/acp-agents.ts';
