import type { Store } from '../api/store.ts';

/** Records the progress of many sessions. Their statements go together by themselves; one that is refused never holds up the others. */
export const recordMany =
  (recordAll: Store['claims']['recordAll']): Store['claims']['recordMany'] =>
  (reports, by) =>
    Promise.all(reports.map((facts) => recordAll(facts, by)));
