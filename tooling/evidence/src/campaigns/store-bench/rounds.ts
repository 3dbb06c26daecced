import { setTimeout as delay } from 'node:timers/promises';
import type { Contender, ContenderKind } from './contender.ts';
import { measure, type Sample } from './measure.ts';
import type { BenchServer } from './server.ts';

/** How much a row measures. */
export interface Sizes {
  rounds: number;
  warmMs: number;
  windowMs: number;
  /** Ready jobs at the start of each window. */
  backlog: number;
}

/** Contenders by name with what their rounds showed. */
export type Samples = Map<string, Sample[]>;

/** What turns showed, and what was wrong with it. */
export interface Interleaved {
  samples: Samples;
  broken: readonly string[];
}

export interface FactContext {
  server: BenchServer;
  short: boolean;
  say(line: string): void;
  /** Whether the caller wants this contender measured. */
  wanted(contender: string): boolean;
}

/** A contender at work, with the bench's own books on it. */
interface Entry {
  contender: Contender;
  backlog: number;
  filled: number;
  finished: number;
  stops: number;
  /** It has jobs and takes none, or it broke down. */
  stands: boolean;
}

/**
 * Opens each contender on a database of its own, measures them in turns (A B C A B C …), checks that what each says to have
 * finished is finished in its database, and takes them away again.
 */
export async function interleave(
  context: FactContext,
  options: { row: string; kinds: readonly ContenderKind[]; sizes: Sizes },
): Promise<Interleaved> {
  const { row, sizes } = options;
  const { server, say } = context;
  const kinds = options.kinds.filter(({ name }) => context.wanted(name));
  const samples: Samples = new Map(kinds.map(({ name }) => [name, []]));
  const broken: string[] = [];
  // Nothing is measured yet: they may get in one another's way.
  const opened = await Promise.allSettled(kinds.map((kind) => openEntry(server, { kind, row, sizes })));
  const entries = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  try {
    for (const each of opened) if (each.status === 'rejected') throw each.reason;
    for (let round = 1; round <= sizes.rounds; round++) {
      for (const entry of entries.filter(({ stands }) => !stands)) {
        const { name } = entry.contender;
        const sample = await oneWindow(server, entry, sizes).catch((error: unknown) => {
          entry.stands = true;
          broken.push(`${name} broke down: ${String(error)}`);
          return undefined;
        });
        if (sample === undefined) continue;
        if (sample.jobs > 0) samples.get(name)?.push(sample);
        else {
          entry.stands = true;
          broken.push(`${name} finishes nothing.`);
        }
        say(`  ${row} ${round}/${sizes.rounds} ${name}: ${describe(sample)}`);
      }
    }
    for (const entry of entries.filter(({ stands }) => !stands))
      broken.push(...(await balance(server, entry)));
  } finally {
    for (const { contender } of entries) {
      await contender.close();
      await server.drop(contender.url, { isKept: context.short });
    }
  }
  return { samples, broken: broken.map((line) => `${row}: ${line}`) };
}

async function openEntry(
  server: BenchServer,
  { kind, row, sizes }: { kind: ContenderKind; row: string; sizes: Sizes },
): Promise<Entry> {
  const contender = await kind.open(await server.database(row, kind), server);
  const { ready = 0 } = contender;
  const backlog = kind.backlog ?? sizes.backlog;
  const entry = { contender, backlog, filled: ready, finished: 0, stops: 0, stands: false };
  await giveHistory(entry, sizes);
  return entry;
}

/**
 * Lets a contender finish some jobs before anything counts: statistics of tables that are still empty would have the planner
 * read them from end to end, for as long as the plan is kept.
 */
async function giveHistory(entry: Entry, sizes: Sizes): Promise<void> {
  await refill(entry, Math.min(entry.backlog, sizes.rounds > 1 ? 2000 : 500));
  const work = await entry.contender.start();
  await delay(sizes.warmMs);
  await work.stop();
  entry.finished += await work.done();
  entry.stops++;
}

/** Leaves out the server's own tables. */
const analyseTables = `DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT relid FROM pg_stat_user_tables LOOP EXECUTE 'ANALYZE ' || t; END LOOP; END $$`;

async function oneWindow(server: BenchServer, entry: Entry, sizes: Sizes): Promise<Sample> {
  const { contender } = entry;
  await refill(entry, entry.backlog);
  // All plan on true figures, and none starts with the dead rows of the round before, if there was one.
  await server.sql(contender.url, sizes.rounds > 1 ? 'VACUUM (ANALYZE)' : analyseTables);
  const {
    samples: [sample],
    finished,
  } = await measure(server, contender, sizes);
  entry.finished += finished;
  entry.stops++;
  if (!contender.endless && entry.finished >= entry.filled)
    throw new Error(`${contender.name} ran out of jobs: ${entry.filled} were too few.`);
  return sample;
}

async function refill(entry: Entry, backlog: number): Promise<void> {
  if (entry.contender.endless) return;
  const missing = backlog - (entry.filled - entry.finished);
  if (missing <= 0) return;
  await entry.contender.fill(missing);
  entry.filled += missing;
}

/** What a contender counted must be what its database says. */
async function balance(server: BenchServer, entry: Entry): Promise<string[]> {
  const { contender, filled, finished, stops } = entry;
  const [row] = await server.sql(contender.url, contender.leftSql);
  const left = Number(row?.['left']);
  const expected = filled + (contender.stuck ?? 0) - finished;
  const unknown = left - expected;
  if (unknown >= 0 && unknown <= stops * (contender.lateAtStop ?? 0)) return [];
  return [
    `${contender.name} says it finished ${finished} jobs, its database has ${left} left, not ${expected}.`,
  ];
}

export const describe = ({ perSecond, serverMs, clientMs, walBytes }: Sample) =>
  `${perSecond.toFixed(0)}/s, CPU per job: server ${serverMs.toFixed(3)} ms, client ${clientMs.toFixed(3)} ms; log ${walBytes.toFixed(0)} B`;

export type Measure = Exclude<keyof Sample, 'jobs' | 'seconds'>;

/** Median, least and most of one measure. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spread(samples: readonly Sample[], measureName: Measure): Spread {
  return spreadOf(samples.map((sample) => sample[measureName]));
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle) - 1] ?? NaN)) / 2;
  return { median, min: sorted[0] ?? NaN, max: sorted[sorted.length - 1] ?? NaN };
}
