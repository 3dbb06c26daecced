import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { compileCache } from '@baton/testkit';
import { cornerSizes, sizeA, sizeB, sizeSmall, walkSizes } from '../world/sizes.ts';
import type { ExploreOrder, ExploreReport } from './explore-size.ts';
import { hunt, plantedFolder, readPlanted, type Hunt } from './planted.ts';

const run = promisify(execFile);
const script = path.join(import.meta.dirname, 'explore-size.ts');
/** What a size may take. */
const mostMinutes = 15;
const mostMegabytes = 4096;
const oneFault = { crashes: 1, duplicates: 1, delays: 1, all: 1 };

/** What the campaign found. */
export interface ExploreFindings {
  sizes: ExploreReport[];
  walks: ExploreReport[];
  hunts: Hunt[];
  /** Facts that are possible on each reached tuple, with the row of each. */
  tuples: ExploreReport['tuples'];
  broken: string[];
}

/** Where it runs and how far. */
export interface ExploreRun {
  short: boolean;
  seed: number;
  /** A folder with more bugs to plant. */
  patchesDir?: string;
  say(line: string): void;
}

/** Bugs of the short form: one in a decision, one in the kernel, one in a statement. */
const shortBugs = ['fence-kept-when-lease-lapses', 'kernel-failed-turn-idles', 'sql-slot-leaks'];

/** Explores every size in a process of its own, walks the bigger ones, and plants every bug. */
export async function runExplore(options: ExploreRun): Promise<ExploreFindings> {
  const { short, seed, patchesDir, say } = options;
  const small = [sizeSmall, ...cornerSizes];
  const sizes: ExploreReport[] = [];
  for (const { name } of short ? small.slice(0, 3) : [...small, sizeB, sizeA])
    sizes.push(await report({ size: name, tuples: true, mostMs: mostMinutes * 60_000 }, say));
  const walks: ExploreReport[] = [];
  for (const { name } of short ? walkSizes.slice(0, 1) : walkSizes) {
    const order = { seed, walks: short ? 20 : 3000, length: 600 };
    walks.push(await report({ size: name, walks: order, mostMs: 60_000 }, say));
  }
  const own = await readPlanted(plantedFolder);
  const others = patchesDir === undefined ? [] : await readPlanted(patchesDir);
  const bugs = [...(short ? own.filter(({ name }) => shortBugs.includes(name)) : own), ...others];
  const hunts = await hunt(bugs, {
    orders: huntOrders(short),
    hunted: ({ name, found, problem }) => say(`${name}: ${problem ?? found ?? 'nothing gave it away'}`),
  });
  const tuples = Object.assign({}, ...sizes.map((each) => each.tuples)) as ExploreReport['tuples'];
  for (const each of sizes) joinTuples(tuples, each.tuples);
  return { sizes, walks, hunts, tuples, broken: problems({ sizes, walks, hunts }) };
}

/** Where a planted bug is looked for: small sizes first, since most are found there at once. */
function huntOrders(short: boolean): ExploreOrder[] {
  const small = [sizeSmall, ...cornerSizes].map(({ name }) => ({ size: name, tuples: true }));
  const big = [sizeB, sizeA].map(({ name }) => ({ size: name, tuples: true, faults: oneFault }));
  return short ? small : [...small, ...big];
}

async function report(order: ExploreOrder, say: (line: string) => void): Promise<ExploreReport> {
  say(order.size);
  const heap = `--max-old-space-size=${mostMegabytes - 512}`;
  const args = ['--conditions=@baton/source', '--no-warnings', heap, script, JSON.stringify([order])];
  const env = { PATH: process.env['PATH'] ?? '', ...compileCache() };
  const { stdout } = await run(process.execPath, args, { env, maxBuffer: 2 ** 28 });
  const [made] = JSON.parse(stdout.trim().split('\n').at(-1) ?? '[]') as ExploreReport[];
  if (made === undefined) throw new Error(`${order.size}: no report`);
  return made;
}

/** Adds what another exploration reached. */
export function joinTuples(all: ExploreReport['tuples'], more: ExploreReport['tuples']): void {
  for (const [tuple, facts] of Object.entries(more))
    for (const [fact, rows] of Object.entries(facts)) {
      const known = (all[tuple] ??= {});
      known[fact] = [...new Set([...(known[fact] ?? []), ...rows])].sort();
    }
}

function problems({ sizes, walks, hunts }: Pick<ExploreFindings, 'sizes' | 'walks' | 'hunts'>): string[] {
  return [
    ...sizes.flatMap(({ size, exploration, rowsBroken, peakMegabytes }) => [
      ...(exploration?.fixpoint === true || exploration?.violation ? [] : [`${size}: no fixpoint`]),
      ...(exploration?.violation ? [told(size, exploration.violation)] : []),
      ...(peakMegabytes > mostMegabytes ? [`${size}: ${peakMegabytes} MB`] : []),
      ...rowsBroken,
    ]),
    ...walks.flatMap(({ size, walks: walked }) => (walked?.violation ? [told(size, walked.violation)] : [])),
    ...hunts.flatMap(({ name, found, problem }) =>
      problem !== null
        ? [`planted bug ${name}: ${problem}`]
        : found === null
          ? [`planted bug ${name}: nothing gave it away`]
          : [],
    ),
  ];
}

const told = (size: string, { what, trace }: { what: string; trace: readonly string[] }) =>
  `${size}: ${what}, after: ${trace.join(' / ')}`;
