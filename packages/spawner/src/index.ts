export { createExec } from './exec.ts';
export { killTree, sweepMarked, type KillReport, type KillTarget } from './kill-tree.ts';
export { isAlive, markerVariable, processStart, type ProcessRef } from './process-table.ts';
export { createGit, requireGit, validateRefName } from './git.ts';
export { inspectRepository, type RepositoryFacts } from './inspect-repository.ts';
export {
  attemptRef,
  openClone,
  salvageRef,
  type AttemptKey,
  type Clone,
  type OpenCloneOptions,
  type SalvageRef,
} from './workspace/clone.ts';
export { createWorkspacePool, type WorkspacePool, type WorkspacePoolOptions } from './workspace/pool.ts';
export type { Workspace, WorkspaceState } from './workspace/workspace.ts';
export {
  commitTask,
  startTask,
  type CommitTaskOptions,
  type StartTaskOptions,
  type TaskCommit,
  type TaskStart,
} from './workspace/task.ts';
export { listSalvage, restoreSalvage, salvage, type SalvagedTree } from './workspace/salvage.ts';
