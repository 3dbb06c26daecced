import type { Blow } from './history.ts';

/** What a holder is opened with. */
export interface HolderOrder {
  url: string;
  stateDir: string;
  name: string;
  /** Host that it says it runs on; that of the machine when left out. */
  host?: string;
  leaseMs: number;
}

/** What a holder in a process of its own is told. */
export interface HolderWord {
  arm: Blow | null;
}
