import { planStrikes, type CrashCatalogue, type CrashStrike } from '@baton/testkit';
import { inLanes, strikesInRecovery, sumOf, type Trials } from './in-lanes.ts';
import { openTortureServer, type TortureServer } from './server.ts';
import { liveTrial } from './trial.ts';

/** How much is wanted. */
export interface TortureOptions {
  /** Server of all trials but those that kill it. */
  server: TortureServer;
  catalogue: CrashCatalogue;
  seed: number;
  short: boolean;
  /** Trials at a time. */
  lanes: number;
  say(line: string): void;
  isOver(): boolean;
}

const moments = ['before', 'middle', 'after'] as const;

/** One blow of a short form, where nothing is recorded first. */
export const blow = (point: string, given: Partial<Omit<CrashStrike, 'point'>> = {}): CrashStrike => ({
  point,
  passage: 1,
  moment: 'after',
  victim: 'self',
  delayMs: 0,
  ...given,
});

/** Lives of the store whose processes are killed at every point that they pass. */
export async function tortureStore(options: TortureOptions): Promise<Trials> {
  const { server, catalogue, seed, short } = options;
  const hold = (strikes: readonly CrashStrike[]) => liveTrial(strikes, { server, catalogue });
  if (short) {
    const few = [
      [blow('effect:move target')],
      [blow('pg:apply', { passage: 20 + (seed % 40), moment: 'middle' })],
      [blow('pg:claim', { passage: 2 }), blow('pg:apply', { passage: 3, moment: 'before' })],
    ];
    return sumOf(await inLanes(few, hold, options));
  }
  const recording = await hold([]);
  const planned = planStrikes(recording.passages, {
    victim: 'self',
    moments,
    seed,
    // All facts go through one statement: each passage is another one.
    everyPassage: (point) => point === 'pg:apply',
  });
  const first = await inLanes(
    planned.map((strike) => [strike]),
    hold,
    options,
  );
  const known = new Set(recording.passages.map(({ point }) => point));
  const second = await inLanes(strikesInRecovery({ trials: first, known, seed }), hold, options);
  return sumOf([recording, ...first, ...second]);
}

/** The same lives, but the database is killed under them: its backend, or the whole server. */
export async function torturePostgres(options: TortureOptions): Promise<Trials> {
  const { catalogue, seed, short } = options;
  if (short) {
    const { server } = options;
    const one = blow('pg:apply', { passage: 10 + (seed % 20), moment: 'middle', victim: 'backend' });
    return sumOf([await liveTrial([one], { server, catalogue })]);
  }
  const servers = await Promise.all([openTortureServer(), openTortureServer()]);
  try {
    const [server] = servers;
    const recording = await liveTrial([], { server, catalogue });
    const passages = recording.passages.filter(({ point }) => point.startsWith('pg:'));
    const backend = planStrikes(passages, { victim: 'backend', moments: ['middle', 'after'], seed });
    const whole = planStrikes(passages, { victim: 'postmaster', moments: ['middle'], seed });
    const trials = await inLanes(
      [...backend, ...whole].map((strike) => [strike]),
      (strikes, lane) => liveTrial(strikes, { server: servers[lane] ?? server, catalogue }),
      { ...options, lanes: servers.length },
    );
    return sumOf([recording, ...trials]);
  } finally {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  }
}
