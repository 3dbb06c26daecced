import type { Run, Repo } from '../model/run.ts';

/** A run with its repository as a claim brought it; `mark` changes with every write to its row. */
export interface KnownRun {
  mark: string;
  run: Run;
  repo: Repo;
}

/** Runs that claims need not bring again: a claim says which it knows, and the database leaves out what has not changed. */
export interface KnownRuns {
  get(runId: string): KnownRun | undefined;
  keep(known: KnownRun): void;
  /** `id:mark` of each. */
  known(): string[];
}

const mostRuns = 16;

export function knownRuns(): KnownRuns {
  const runs = new Map<string, KnownRun>();
  return {
    get: (runId) => runs.get(runId),
    keep(known) {
      runs.delete(known.run.id);
      runs.set(known.run.id, known);
      const [oldest] = runs.keys();
      if (runs.size > mostRuns && oldest !== undefined) runs.delete(oldest);
    },
    known: () => [...runs].map(([id, { mark }]) => `${id}:${mark}`),
  };
}
