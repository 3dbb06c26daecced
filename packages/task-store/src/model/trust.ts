/** Trust levels, lowest first. Source: docs/spec/landing.md#trust. */
export const trustLevels = ['UNTRUSTED', 'PROBATIONARY', 'TRUSTED', 'ELEVATED'] as const;

/** One of {@link trustLevels}. */
export type TrustLevel = (typeof trustLevels)[number];

/** Moves that an agent may make without a person's word only from some level on. */
export type TrustMove = 'land' | 'decompose' | 'retry';

/** Whose record it is: one agent on one model in one role on one repository. */
export interface TrustSubject {
  repoId: string;
  /** Name of the agent in its run. */
  agent: string | null;
  adapter: string;
  model: string | null;
  role: string;
}

/** What became of attempts, one after the other. Violations: signs of tampering that no person accepted, and work that a person refused. */
export interface TrustOutcome {
  kind: 'landed' | 'rejected' | 'violation';
  /** How many in a row: that many `landed`, with none but rejected work between them. */
  times: number;
  /** What was wrong, for people. */
  what: string | null;
}

/** A track record, from all its outcomes in order. */
export interface TrustRecord {
  landed: number;
  rejected: number;
  violations: number;
  /** The newest violation. */
  lastViolation: string | null;
}

/** What a decision about a move is made from. */
export interface TrustCase {
  subject: TrustSubject;
  outcomes: readonly TrustOutcome[];
  move: TrustMove;
  task: { risk: 'low' | 'medium' | 'high'; source: { kind: string; trusted: boolean } };
}

/** Whether an agent may make a move by itself, with the evidence. */
export interface TrustVerdict {
  allowed: boolean;
  level: TrustLevel;
  needed: TrustLevel;
  evidence: TrustSubject & TrustRecord;
  /** One sentence for people and for the record. */
  text: string;
}

/** How far a completion budget is used up: below 60 %, from 60 %, from 80 %, all of it. */
export type BudgetStage = 'ok' | 'warn' | 'nudge' | 'end';

/** A completion budget and what is left of it. */
export interface CompletionBudget {
  spent: number;
  limit: number;
  stage: BudgetStage;
}
