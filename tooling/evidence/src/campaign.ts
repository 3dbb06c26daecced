import type { Chart } from './chart.ts';

/** What a caller chose. */
export interface CampaignOptions {
  /** The form that runs inside `npm test`: smaller, same claim. */
  short: boolean;
  /** Chooses the pseudo-random run; the same seed gives the same choices. */
  seed: number;
  /** Folder with cases from outside, for campaigns that take them. */
  casesDir?: string;
  /** Folder with planted faults from outside, for campaigns that must find them. */
  patchesDir?: string;
  /** Parts of the campaign to run, as its `parts` names them; all when left out. */
  only?: readonly string[];
  /** Size of the run, for campaigns that add up over runs. */
  trials?: number;
  /** File that such a campaign keeps its totals in; its own place when left out. */
  stateFile?: string;
  /** Aborted, with the signal's name as its reason, when somebody interrupts a campaign that is interruptible. */
  interrupted?: AbortSignal;
  /** Progress for people; never part of the result. */
  say(line: string): void;
}

/** A printed table: every row has one cell for each column. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

/** A page of Markdown. */
export interface Page {
  /** What follows the campaign's name in that of the file. */
  name: string;
  text: string;
}

/** What a campaign found. */
export interface Findings {
  /** Whether the claim holds. */
  holds: boolean;
  /** Machine-readable results; plain JSON. */
  figures: Readonly<Record<string, unknown>>;
  table: Table;
  /** Drawn beside the page that `--save` writes. */
  charts?: readonly Chart[];
  /** Further pages that `--save` writes beside it. */
  pages?: readonly Page[];
  /** What broke the claim, one sentence each. */
  broken: readonly string[];
}

/** A claim and the way to re-run it. */
export interface Campaign {
  /** What `pnpm evidence <name>` calls it. */
  name: string;
  /** The claim, in one line. */
  shows: string;
  /** Format of `--cases DIR`, for campaigns that take cases. */
  cases?: string;
  /** Format of `--patches DIR`, for campaigns that must find planted faults. */
  patches?: string;
  /** Names that `--only` takes, for campaigns that can run in parts. */
  parts?: readonly string[];
  /** What `--trials N` counts, for campaigns that add up over runs. */
  adds?: string;
  /** Ends early when it is interrupted, cleans up, and gives what it has; any other campaign just ends. */
  isInterruptible?: true;
  run(options: CampaignOptions): Promise<Findings>;
}
