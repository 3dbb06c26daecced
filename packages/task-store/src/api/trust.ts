import type {
  CompletionBudget,
  TrustVerdict,
  TrustRecord,
  TrustSubject,
  TrustMove,
  TrustLevel,
} from '../model/trust.ts';

/** How long one agent worked on something that landed. */
export interface PastDuration {
  durationMs: number;
  agent: string | null;
  model: string | null;
}

/** The standing of one agent, on one model, in one role, on one repository. */
export interface TrustStanding extends TrustSubject, TrustRecord {
  /** In an operator's own plan, which starts at TRUSTED. */
  ownPlan: TrustLevel;
  /** For triggers and the API, which start at UNTRUSTED. */
  others: TrustLevel;
}

/** A {@link TrustVerdict} and whether the run holds its agents to it. */
export interface TrustDecision extends TrustVerdict {
  /** The run's plan says `trust: enforce`. */
  enforced: boolean;
  /** A person said yes to this very head. */
  approved: boolean;
}

/** What policies decide on: stored history, read back. */
export interface PolicyApi {
  /** Newest first, at most 200: what time-outs are learnt from. */
  pastDurations(filter: { repoId: string; role: string; scope: string }): Promise<PastDuration[]>;
  /** Attempts that the task's whole lineage used up, and how many it may. @throws NOT_FOUND */
  completionBudget(taskId: string): Promise<CompletionBudget>;
  /** Track records, of all repositories or of one. */
  list(filter: { repoId?: string }): Promise<TrustStanding[]>;
  /** May the agent of this attempt make the move without a person? @throws NOT_FOUND */
  of(attemptId: string, move: TrustMove): Promise<TrustDecision>;
  /** What work of a run weakens of what judges it, by its attempts' newest verdicts; one sentence each. */
  weakened(runId: string): Promise<{ taskId: string; attemptId: string; texts: string[] }[]>;
}
