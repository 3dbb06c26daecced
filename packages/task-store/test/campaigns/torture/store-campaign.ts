import { planStrikes, type CrashCatalogue, type CrashStrike } from '@baton/testkit';
import { allOf, inLanes, strikesInRecovery, sumOf, type Trials } from './in-lanes.ts';
import { openTortureServer } from './server.ts';
import { liveTrial } from './trial.ts';

/** How much is wanted. */
export interface TortureOptions {
  catalogue: CrashCatalogue;
  seed: number;
  short: boolean;
  /** Trials at a time. */
  lanes: number;
  say(line: string): void;
  isOver(): boolean;
}

const moments = ['before', 'middle', 'after'] as const;

/** Lives of the store whose processes are killed at every point that they pass. */
export async function tortureStore(options: TortureOptions): Promise<Trials> {
  const { catalogue, seed, short } = options;
  await using server = await openTortureServer();
  const recording = await liveTrial([], { server, catalogue });
  const planned = planStrikes(recording.passages, {
    victim: 'self',
    moments,
    seed,
    // All facts go through one statement: each passage is another one.
    everyPassage: (point) => point === 'pg:apply',
  });
  const wanted = short ? sample(planned, { count: 5, seed }) : planned;
  const hold = (strikes: readonly CrashStrike[]) => liveTrial(strikes, { server, catalogue });
  const first = await inLanes(
    wanted.map((strike) => [strike]),
    hold,
    options,
  );
  const known = new Set(recording.passages.map(({ point }) => point));
  const again = short ? [] : strikesInRecovery({ trials: first, known, seed });
  const second = await inLanes(again, hold, options);
  return sumOf([recording, ...first, ...second]);
}

/** The same lives, but the database is killed under them: its backend, or the whole server. */
export async function torturePostgres(options: TortureOptions): Promise<Trials> {
  const { catalogue, seed, short } = options;
  const lanes = short ? 1 : 2;
  const servers = await Promise.all(Array.from({ length: lanes }, () => openTortureServer()));
  try {
    const [server] = servers;
    if (server === undefined) throw new Error('no server');
    const recording = await liveTrial([], { server, catalogue });
    const passages = recording.passages.filter(({ point }) => point.startsWith('pg:'));
    const backend = planStrikes(passages, { victim: 'backend', moments: ['middle', 'after'], seed });
    const whole = planStrikes(passages, { victim: 'postmaster', moments: ['middle'], seed });
    const wanted = short
      ? [...sample(backend, { count: 1, seed }), ...sample(whole, { count: 1, seed })]
      : [...backend, ...whole];
    const trials = await inLanes(
      wanted.map((strike) => [strike]),
      (strikes, lane) => liveTrial(strikes, { server: servers[lane] ?? server, catalogue }),
      { ...options, lanes },
    );
    return allOf([sumOf([recording]), sumOf(trials)]);
  } finally {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  }
}

/** A few of many, spread over all of them. */
export function sample<T>(all: readonly T[], { count, seed }: { count: number; seed: number }): T[] {
  const step = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, at) => at % step === seed % step).slice(0, count);
}
