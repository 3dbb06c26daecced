import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ExploreOrder, ExploreReport } from './explore-size.ts';
import { openScratch, type Scratch } from './scratch.ts';

/** A bug that is planted: a unified diff against the sources, what it breaks in words above it. */
export interface PlantedBug {
  name: string;
  what: string;
  patch: string;
}

/** What became of a planted bug. */
export interface Hunt {
  name: string;
  what: string;
  /** The violation that gave it away; null: nothing did. */
  found: string | null;
  /** Steps from the start to it; null where a declared row did. */
  steps: number | null;
  size: string | null;
  states: number;
  trace: readonly string[];
  /** Why it could not be planted. */
  problem: string | null;
}

/** The bugs that come with the store. */
export const plantedFolder = path.join(import.meta.dirname, 'planted');

/** Reads every `*.patch` of a folder, in the order of their names. */
export async function readPlanted(folder: string): Promise<PlantedBug[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.patch')).sort();
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(path.join(folder, file), 'utf8');
      const at = Math.max(0, text.search(/^(diff |--- )/m));
      const what = text.slice(0, at).trim().replaceAll(/\s+/g, ' ');
      return { name: file.replace(/\.patch$/, ''), what, patch: text.slice(at) };
    }),
  );
}

/** Plants one bug after the other and explores, smallest size first, until something gives it away. */
export async function hunt(
  bugs: readonly PlantedBug[],
  { orders, hunted }: { orders: readonly ExploreOrder[]; hunted?: (hunt: Hunt) => void },
): Promise<Hunt[]> {
  await using scratch = await openScratch();
  const hunts: Hunt[] = [];
  for (const bug of bugs) {
    const one = await huntOne(scratch, bug, orders);
    hunted?.(one);
    hunts.push(one);
  }
  return hunts;
}

async function huntOne(scratch: Scratch, bug: PlantedBug, orders: readonly ExploreOrder[]): Promise<Hunt> {
  const { name, what, patch } = bug;
  const nothing = { name, what, found: null, steps: null, size: null, states: 0, trace: [], problem: null };
  const planted = await scratch.plant(patch);
  if ('misfit' in planted) return { ...nothing, problem: `does not fit: ${planted.misfit}` };
  try {
    let states = 0;
    for (const report of await scratch.explore(orders)) {
      states += report.exploration?.states ?? 0;
      const given = givenAway(report);
      if (given !== null) return { ...nothing, ...given, size: report.size, states };
    }
    return { ...nothing, states };
  } catch (error) {
    return { ...nothing, problem: `breaks the program: ${reasonOf(error).slice(0, 500)}` };
  } finally {
    await planted.clear();
  }
}

/** What the process said before it ended: the line that names the error, not the command that was run. */
function reasonOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  return /^\w*Error.*$/m.exec(said)?.[0] ?? (said.trim() || String(error));
}

function givenAway({
  exploration,
  rowsBroken,
}: ExploreReport): Pick<Hunt, 'found' | 'steps' | 'trace'> | null {
  const violation = exploration?.violation ?? null;
  if (violation !== null)
    return { found: violation.what, steps: violation.trace.length, trace: violation.trace };
  const [row] = rowsBroken;
  return row === undefined ? null : { found: row, steps: null, trace: [] };
}
