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

/** What a gate said of the last trees that it was asked about, at most 20. */
export interface GateRecord {
  name: string;
  command: string[];
  /** Trees that it was asked about. */
  judged: number;
  /** Of these: it never passed them. */
  refused: number;
  /** Of these: it refused them and passed them, with nothing changed. */
  flaked: number;
  lastAt: Date;
  /** When it last did so; null: never. */
  flakedAt: Date | null;
}

/** What policies decide on: stored history, read back. */
export interface PolicyApi {
  /** Newest first, at most 200: what time-outs are learnt from. */
  pastDurations(filter: { repoId: string; role: string; scope: string }): Promise<PastDuration[]>;
  /** How steady the gates of recent runs are, by name and command: of a command that was changed nothing is known. */
  gates(filter: { repoId: string }): Promise<GateRecord[]>;
  /** Attempts that the task's whole lineage used up, and how many it may. @throws NOT_FOUND */
  completionBudget(taskId: string): Promise<CompletionBudget>;
  /** Track records, of all repositories or of one. */
  list(filter: { repoId?: string }): Promise<TrustStanding[]>;
  /** May the agent of this attempt make the move without a person? @throws NOT_FOUND */
  of(attemptId: string, move: TrustMove): Promise<TrustDecision>;
  /** What work of a run weakens of what judges it, by its attempts' newest verdicts; one sentence each. */
  weakened(runId: string): Promise<{ taskId: string; attemptId: string; texts: string[] }[]>;
}
