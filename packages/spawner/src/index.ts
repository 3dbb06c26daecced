export { createExec } from './process/exec.ts';
export { diskTrouble } from './process/full-disk.ts';
export { lockHolder, type LockPlace } from './process/git-processes.ts';
export { jsonLines, type JsonLines } from './process/json-lines.ts';
export { killTree, sweepMarked, type KillReport, type KillTarget } from './process/kill-tree.ts';
export { limitMarks, type LimitMarks } from './process/limit-mark.ts';
export { isKnownDead, isOtherSpace, ownSpace } from './process/lock-space.ts';
export { isAlive, markerVariable, processStart, type ProcessRef } from './process/process-table.ts';
export { createGit, requireGit, validateRefName } from './git/git.ts';
export { page } from './git/pager.ts';
export { createReadingGit, type ReadingGit } from './git/batch-git.ts';
export { missingObjects, requireCompleteCommit, type CommitPlace } from './git/complete-commit.ts';
export { inspectRepository, type RepositoryFacts } from './git/inspect-repository.ts';
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
} from './tree/clone.ts';
export {
  dropPublished,
  fetchHead,
  fetchHeadFromClone,
  publishedHeads,
  type KeptHead,
} from './salvage/heads.ts';
export { publishRefs, type Published } from './salvage/publish-refs.ts';
export { journalFolder, recordActs, type JournalPlace, type JournalRecord } from './keep/journal.ts';
export { placeOf, type KeepAct, type KeepRules } from './keep/keep-act.ts';
export type { KeepOptions, KnownRun } from './keep/plan-keep.ts';
export { tidyState, type Tidied, type TidyOptions } from './keep/tidy-state.ts';
export { heldTrees, unsavedTrees, type UnsavedTree } from './keep/unsaved-trees.ts';
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
export { unknownOwner, type Workspace, type WorkspaceState } from './tree/workspace.ts';
export {
  commitTask,
  startTask,
  type CommitTaskOptions,
  type StartTaskOptions,
  type TaskCommit,
  type TaskStart,
} from './workspace/task.ts';
export {
  asideObjects,
  presentTree,
  type PresentTree,
  type PresentTreeOptions,
} from './workspace/present-tree.ts';
export { unresolvedFiles, type Conflicts } from './workspace/merge-range.ts';
export { salvage } from './salvage/salvage.ts';
export { listAttempts, listSalvage, restoreSalvage, type SalvagedTree } from './salvage/restore.ts';
export { listSetAside, type SetAside } from './salvage/set-aside.ts';
export type { LeftOut, LeftOutReason } from './tree/left-out.ts';
export { listLeftOut, type LeftOutRecord } from './tree/left-out-record.ts';
export { insideOnly, isInside } from './agent/inside-worktree.ts';
export { defaultAgentLimits, openAgent, type OpenAgentOptions } from './open/open-agent.ts';
export { runAgent, type AgentRun, type RunAgentOptions } from './open/run-agent.ts';
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
  type TaskRequest,
} from './agent/adapter.ts';
export { type TaskHandlers } from './agent/handlers.ts';
export { acpAdapter } from './adapters/acp/adapter.ts';
export { commandAdapter } from './adapters/command.ts';
export { inProcessAdapter } from './adapters/in-process/adapter.ts';
export { beginOrResume } from './in-process/loop/begin.ts';
export { openCheckpointFile, type CheckpointFile } from './adapters/in-process/checkpoint-file.ts';
export { checkTool, type CheckToolOptions } from './in-process/tools/check-tool.ts';
export { fileTools } from './in-process/tools/file-tools.ts';
export type { CognitiveEnd, CognitiveOptions } from './in-process/loop/mind.ts';
export { modelAdapter, type ModelAdapterOptions } from './adapters/in-process/model-adapter.ts';
export { runCognitiveTask } from './in-process/loop/run-cognitive-task.ts';
export { defineTool, type CognitiveTool, type ToolDraft } from './in-process/tools/tool.ts';
export { removeTree } from './tree/remove-tree.ts';
export { agentsHere, type AgentHere, type FoundProgram } from './agent/agents-here.ts';
export { agentModels, type AgentModels } from './open/agent-models.ts';
export { probeAgent, type AgentAnswer } from './open/probe-agent.ts';
export type { Login } from './agent/login.ts';
export {
  agentByAlias,
  builtinAgent,
  checkAgent,
  installHint,
  installedAgents,
  knownAgentOf,
  knownAgents,
  type InstalledAgent,
} from './agent/registry.ts';
export { agentEnvironment, type AgentEnvironmentOptions } from './agent/environment.ts';
export { redactor, secretValues } from './agent/redact.ts';
export { renderPrompt, roles, type PromptInput, type PromptTask } from './agent/prompt.ts';
export { livingAgents, orphanSweep } from './supervise/process-records.ts';
export { costTellers, silentAgents, type AcpAgent, type UsageSource } from './agent/acp-agents.ts';
