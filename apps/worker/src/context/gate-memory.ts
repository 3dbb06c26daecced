import type { CheckResult } from '@baton/contracts';

/** What commands came to that passed, by the name of the command on its tree; for as long as this process runs. */
export interface GateMemory {
  find(key: string): CheckResult | null;
  /** Keeps those that passed: what a red was about may lie outside of the tree. */
  keep(results: ReadonlyMap<string, CheckResult>): void;
}

/** Remembers the newest results; `most` bounds them. */
export function createGateMemory(most = 1_000): GateMemory {
  const known = new Map<string, CheckResult>();
  return {
    find: (key) => known.get(key) ?? null,
    keep(results) {
      for (const [key, result] of results) {
        if (!result.passed) continue;
        known.delete(key);
        known.set(key, result);
      }
      for (const key of known.keys()) {
        if (known.size <= most) break;
        known.delete(key);
      }
    },
  };
}

/** The memory for commands on one set-up. */
export interface EarlierChecks {
  memory: GateMemory;
  /** Key of the set-up that the results were made with. */
  setUpKey: string;
  /** All that decides besides tree and command. */
  versions: Readonly<Record<string, string>>;
}

/**
 * What is known of commands on one set-up of a repository.
 * @param setUpKey Null: the set-up cannot be named, so nothing is taken from an earlier one, and nothing is kept.
 */
export function earlierChecks(
  memory: GateMemory,
  { repoId, setUpKey, workspace }: { repoId: string; setUpKey: string | null; workspace: unknown },
): EarlierChecks | null {
  if (setUpKey === null) return null;
  const versions = { node: process.version, repoId, workspace: JSON.stringify(workspace), setUpKey };
  return { memory, setUpKey, versions };
}
