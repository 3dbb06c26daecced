import type { Simulated } from '../../../../../packages/task-store/test/campaigns/torture/simulated.ts';
import type { Trials } from '../../../../../packages/task-store/test/campaigns/torture/sums.ts';
import type { Totals } from './totals.ts';

/** The parts that a run may be narrowed to. */
export const parts = ['store', 'postgres', 'processes', 'runs', 'simulated'] as const;
/** One of them. */
export type Part = (typeof parts)[number];

/** What a run of the campaign gathered. */
export interface Gathered {
  /** Every point in the text of the production code. */
  points: readonly string[];
  sums: Partial<Record<Part, Trials>>;
  simulated: Simulated | null;
  totals: Totals | null;
  /** Full runs must reach the figures of the claim; narrowed and short ones only break no promise. */
  isFull: boolean;
  /** Ran out of time before all blows were dealt. */
  isCutOff: boolean;
  /** Why somebody ended it before its time: the name of a signal. */
  interruption: string | null;
  /** How many trials with blows were meant to be held. */
  size?: number;
}
