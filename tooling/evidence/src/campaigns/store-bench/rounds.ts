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

export interface RowContext {
  server: BenchServer;
  short: boolean;
  say(line: string): void;
  /** Contenders to leave out, by name; none when undefined. */
  wanted(contender: string): boolean;
}

/** Opens each contender on a database of its own, measures them in turns (A B C A B C …) and takes them away again. */
export async function interleave(
  context: RowContext,
  options: { row: string; kinds: readonly ContenderKind[]; sizes: Sizes },
): Promise<Samples> {
  const { row, sizes } = options;
  const kinds = options.kinds.filter(({ name }) => context.wanted(name));
  const open: { contender: Contender; database: string }[] = [];
  const samples: Samples = new Map();
  try {
    for (const [at, kind] of kinds.entries()) {
      const database = `bench_${row}_${at}`;
      open.push({
        contender: await kind.open(await context.server.database(database), context.server),
        database,
      });
      samples.set(kind.name, []);
    }
    const ready = new Map<Contender, number>();
    for (let round = 1; round <= sizes.rounds; round++) {
      for (const { contender } of open) {
        await refill(context, contender, { ready, backlog: sizes.backlog });
        const sample = await measure(context.server, contender, sizes);
        if (sample.jobs === 0) throw new Error(`${contender.name} finished nothing in ${sizes.windowMs} ms.`);
        samples.get(contender.name)?.push(sample);
        // What was finished while it warmed up is not known exactly: as much again is a safe guess.
        const used = sample.perSecond * ((sizes.warmMs + sizes.windowMs) / 1000);
        ready.set(contender, Math.max(0, sizes.backlog - Math.ceil(used * 1.2)));
        context.say(`  ${row} ${round}/${sizes.rounds} ${contender.name}: ${describe(sample)}`);
      }
    }
  } finally {
    for (const { contender, database } of open) {
      await contender.close();
      await context.server.drop(database);
    }
  }
  return samples;
}

async function refill(
  { server }: RowContext,
  contender: Contender,
  { ready, backlog }: { ready: Map<Contender, number>; backlog: number },
): Promise<void> {
  const missing = backlog - (ready.get(contender) ?? 0);
  if (missing > 0) await contender.fill(missing);
  // All plan on true figures, and none starts with the dead rows of the round before.
  await server.sql(contender.url, 'VACUUM (ANALYZE)');
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
