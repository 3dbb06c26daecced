import type { AgentDefinition, Gate, TaskDraft, WorkspaceSetup } from '@baton/contracts';

/** A run to be created with all its tasks. */
export interface RunDraft {
  slug: string;
  name: string;
  repo: { location: string; host: string | null };
  target: string;
  /** Null: submitted from afar; the first worker pins it (`pinBase`) to the head of the target or of the default branch. */
  baseCommit: string | null;
  batchSize: number;
  maxAgents: number | null;
  trust: 'observe' | 'enforce';
  review: boolean;
  budgetMicroUsd: number | null;
  gates: Gate[];
  allowRed: string[];
  workspace: WorkspaceSetup | null;
  agents: Record<string, AgentDefinition>;
  defaultAgent: string | AgentDefinition | null;
  routing: unknown;
  plan: unknown;
  tasks: TaskDraft[];
  createdBy: string;
}

/** What the repository's settings say about how its runs are carried out. */
export type RunDefaults = Pick<RunDraft, 'gates' | 'agents' | 'defaultAgent' | 'workspace' | 'routing'>;

/** Who asks for work, and what it can do. */
export interface ClaimRequest {
  workerId: string;
  /** 1–3; above 3 is refused. */
  maxTasks: number;
  /**
   * Agents that the asker could start now, this one included: tasks that could be done side by side then share one only where more
   * are ready than that and other workers can start. Left out: `maxTasks` is filled.
   */
  slots?: number;
  leaseMs: number;
  /** Only this run's tasks. */
  runId?: string;
  /** Tasks that it does not take. */
  skipTasks?: readonly string[];
  /** Runs that it takes nothing of. */
  skipRuns?: readonly string[];
  capabilities: { host: string; labels: string[]; /** Roles it takes; absent: all. */ roles?: string[] };
}

/** The same as somebody hands it in: one task for two minutes on any host, where nothing else is said. */
export interface NewClaim extends Partial<Omit<ClaimRequest, 'workerId' | 'capabilities'>> {
  workerId: string;
  /** Without a host it gets work alone that any host may do. */
  capabilities?: Partial<ClaimRequest['capabilities']>;
}

/** Who acts, and why: part of the record of every move. */
export interface Actor {
  /** "operator:<name>", "worker:<id>", "api:<key name>", "plan_approval", "sweeper", "janitor", … */
  actor: string;
  reason: string;
  /** The same command id twice has one effect and the same answer. */
  commandId?: string;
}

/** What a person said to the agent of the next try. */
export interface PersonsWords {
  text: string;
  /** `operator:ada`. */
  actor: string;
  at: Date;
}

/** A person who acts, and what they say to the agent of the next try. */
export interface Speaker extends Actor {
  /** Reaches the prompt of every later try. */
  say?: string | undefined;
}
