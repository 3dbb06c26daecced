import { explore, seededRandom, walkAtRandom, type Exploration, type Walks } from '@baton/testkit';
import type { Size } from '../world/rows.ts';
import { cornerSizes, sizeA, sizeB, sizeSmall, walkSizes } from '../world/sizes.ts';
import { worldModel } from '../world/world.ts';
import { historyProblems } from './histories.ts';
import { tupleCheck } from './tuples.ts';

/** What a process that explores is told. */
export interface ExploreOrder {
  /** Name of a size. */
  size: string;
  /** Instead of the size's own. */
  faults?: Size['faults'];
  /** Holds the declared rows against each tuple that is reached. */
  tuples?: boolean;
  mostStates?: number;
  mostMs?: number;
  /** Walks instead of exploring. */
  walks?: { seed: number; walks: number; length: number };
}

/** What it answers, as JSON on its last line. */
export interface ExploreReport {
  size: string;
  exploration: Exploration | null;
  walks: Walks | null;
  /** Tuples that were reached, with the facts that are possible on each and their rows. */
  tuples: Record<string, Record<string, string[]>>;
  rowsBroken: string[];
  seconds: number;
  peakMegabytes: number;
}

/** Every size by its name. */
export const allSizes: readonly Size[] = [sizeSmall, ...cornerSizes, sizeA, sizeB, ...walkSizes];

/** Explores or walks one size in this process. Time is that of the process, so that a busy machine changes nothing. */
export function exploreSize(order: ExploreOrder): ExploreReport {
  const named = allSizes.find(({ name }) => name === order.size);
  if (named === undefined) throw new RangeError(`no size "${order.size}"`);
  const size = order.faults === undefined ? named : { ...named, faults: order.faults };
  const startedMs = performance.now();
  const stop = () => performance.now() - startedMs > (order.mostMs ?? Infinity);
  const check = tupleCheck();
  const model = worldModel(size);
  const { walks } = order;
  const exploration =
    walks !== undefined
      ? null
      : explore(model, {
          stop,
          ...(order.mostStates === undefined ? {} : { mostStates: order.mostStates }),
          ...(order.tuples === true ? { visit: check.visit } : {}),
        });
  const walked =
    walks === undefined
      ? null
      : walkAtRandom(model, { ...walks, stop, random: seededRandom(walks.seed), ended: historyProblems });
  const tuples = [...check.reached].map(([name, facts]) => [
    name,
    Object.fromEntries([...facts].map(([fact, rows]) => [fact, [...rows].sort()])),
  ]);
  return {
    size: size.name,
    exploration,
    walks: walked,
    tuples: Object.fromEntries(tuples) as ExploreReport['tuples'],
    rowsBroken: [...new Set(check.broken)],
    seconds: (performance.now() - startedMs) / 1000,
    peakMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}

if (import.meta.main) {
  const orders = JSON.parse(process.argv[2] ?? '[]') as ExploreOrder[];
  const reports: ExploreReport[] = [];
  // Up to the first that finds something: a hunt needs no more.
  for (const order of orders) {
    const report = exploreSize(order);
    reports.push(report);
    if (report.rowsBroken.length > 0 || report.exploration?.violation) break;
  }
  console.log(JSON.stringify(reports));
}
