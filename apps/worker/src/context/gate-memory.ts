import type { CheckResult } from '@baton/contracts';

/** What commands came to that passed, by the name of the command on its tree; for as long as this process runs. */
export interface GateMemory {
  find(key: string): CheckResult | null;
  /** How often a command was red on its tree, as far as that is remembered. */
  reds(key: string): number;
  /** Counts one more red of a command on its tree. */
  countRed(key: string): void;
  /** Keeps those that passed: what a red was about may lie outside of the tree. */
  keep(results: ReadonlyMap<string, CheckResult>): void;
}

/** Remembers the newest results; `most` bounds them. */
export function createGateMemory(most = 1_000): GateMemory {
  const known = new Map<string, CheckResult>();
  const reds = new Map<string, number>();
  return {
    find: (key) => known.get(key) ?? null,
    reds: (key) => reds.get(key) ?? 0,
    countRed(key) {
      put({ values: reds, most }, key, (reds.get(key) ?? 0) + 1);
    },
    keep(results) {
      for (const [key, result] of results) if (result.passed) put({ values: known, most }, key, result);
    },
  };
}

/** Keeps the newest values. */
function put<Value>(
  { values, most }: { values: Map<string, Value>; most: number },
  key: string,
  value: Value,
): void {
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (values.size > most && oldest !== undefined) values.delete(oldest);
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

/** The same for a run that only confirms a red: each command is run, and a green of it is kept for nothing else. */
export function confirming(earlier: EarlierChecks | null): EarlierChecks | null {
  if (earlier === null) return null;
  return { ...earlier, memory: { ...earlier.memory, find: () => null, keep: () => undefined } };
}
