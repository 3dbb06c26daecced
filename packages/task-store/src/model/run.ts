import type { Gate, WorkspaceSetup, AgentDefinition } from '@baton/contracts';
import type { TaskStatus } from '@baton/fsm-core';

/** running: work continues · paused: by a person · waiting: only a person's word moves it · stuck: only a retry does · failed: all settled, some FAILED · done: all CLOSED. */
export type RunStatus = 'running' | 'paused' | 'waiting' | 'stuck' | 'done' | 'failed' | 'cancelled';

/** A git repository that work is done on. */
export interface Repo {
  id: string;
  /** URL, or the absolute path of a local repository. */
  location: string;
  /** Host name for a local path: only its workers can serve it. Null for a URL. */
  host: string | null;
}

/** One plan or goal being carried out. */
export interface Run {
  id: string;
  /** Short, unique, fit for a branch name: `tidy-7k2f`. */
  slug: string;
  name: string;
  repoId: string;
  /** Of a trigger rule: it never ends by itself. */
  standing: boolean;
  status: RunStatus;
  /** Why it has this status, for people. */
  statusReason: string | null;
  target: string;
  /** Head of the target when the run began; null until a worker pinned it. */
  baseCommit: string | null;
  batchSize: number;
  maxAgents: number | null;
  trust: 'observe' | 'enforce';
  review: boolean;
  budgetMicroUsd: number | null;
  /** What is not measured is in it at its bound. */
  spentMicroUsd: number;
  reservedMicroUsd: number;
  /** The part of what is spent that was not measured. */
  unmeasuredMicroUsd: number;
  /** Attempts that did not report all they spent: without a bound their cost is not known at all. */
  unmeasuredAttempts: number;
  /** Pinned at the base commit; changed only by a named person. */
  gates: Gate[];
  gatesHash: string;
  allowRed: string[];
  workspace: WorkspaceSetup | null;
  agents: Record<string, AgentDefinition>;
  defaultAgent: string | AgentDefinition | null;
  /** Role table of the repository's configuration. */
  routing: unknown;
  plan: unknown;
  createdBy: string;
  createdAt: Date;
  finishedAt: Date | null;
}

/** The tasks of a run and how they hang together, at one moment. */
export interface RunGraph {
  runId: string;
  slug: string;
  /** In the order of the plan; `parentId`: the task that was split into it and others. */
  nodes: {
    id: string;
    key: string;
    title: string;
    role: string;
    status: TaskStatus;
    settled: boolean;
    parentId: string | null;
  }[];
  /** `satisfied`: what it depends on has landed. */
  edges: { taskId: string; dependsOnId: string; satisfied: boolean }[];
}
