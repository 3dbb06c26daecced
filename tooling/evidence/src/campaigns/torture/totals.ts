import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { Simulated } from '../../../../../packages/task-store/test/campaigns/torture/simulated.ts';
import type { Trials } from '../../../../../packages/task-store/test/campaigns/torture/sums.ts';

const counts = z.strictObject({
  runs: z.number(),
  trials: z.number(),
  kills: z.number(),
  simulated: z.number(),
  violations: z.number(),
});
const totals = z.strictObject({
  ...counts.shape,
  /** Points that were ever passed, and blows that ever fell, as `point moment victim`. */
  reached: z.array(z.string()),
  struck: z.array(z.string()),
});

/** What all runs came to that kept their results in one file. */
export type Totals = z.output<typeof totals>;

const nothing: Totals = {
  runs: 0,
  trials: 0,
  kills: 0,
  simulated: 0,
  violations: 0,
  reached: [],
  struck: [],
};

/** `$XDG_STATE_HOME/baton/evidence/torture.json`, or the same under `~/.local/state`. */
export function totalsFile(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] ?? path.join(os.homedir(), '.local', 'state');
  return path.join(state, 'baton', 'evidence', 'torture.json');
}

/** What of a run counts. */
export interface Counted {
  sums: Readonly<Record<string, Trials>>;
  simulated: Simulated | null;
}

/** What a run adds to the totals. */
export function countsOf({ sums, simulated }: Counted): Omit<Totals, 'runs'> {
  const all = Object.values(sums);
  const sum = (pick: (one: (typeof all)[number]) => number) =>
    all.reduce((count, one) => count + pick(one), 0);
  const joined = (pick: (one: (typeof all)[number]) => string[]) => [...new Set(all.flatMap(pick))];
  return {
    trials: sum((one) => one.trials),
    kills: sum((one) => one.kills),
    simulated: simulated?.trials ?? 0,
    violations: sum((one) => one.violations.length) + (simulated?.violations.length ?? 0),
    reached: joined((one) => one.reached),
    struck: joined((one) => one.struck),
  };
}

/** Adds a run to the file's totals and gives them. A file that cannot be read as totals is told, not written over. */
export function addToTotals(file: string, run: Omit<Totals, 'runs'>): Totals {
  const before = readTotals(file);
  const joined = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])].sort();
  const after: Totals = {
    runs: before.runs + 1,
    trials: before.trials + run.trials,
    kills: before.kills + run.kills,
    simulated: before.simulated + run.simulated,
    violations: before.violations + run.violations,
    reached: joined(before.reached, run.reached),
    struck: joined(before.struck, run.struck),
  };
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(after, null, 1)}\n`);
  renameSync(`${file}.new`, file);
  return after;
}

function readTotals(file: string): Totals {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return nothing;
  }
  const parsed = totals.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} holds no totals of this campaign: move it away, or name another with --state.`);
}
