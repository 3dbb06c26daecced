import type { TortureServer } from './server.ts';
import type { Stage } from './stage.ts';
import type { Trial } from './trial.ts';
import type { CrashStrike } from '@baton/testkit';

/** A trial that is to be held. */
export interface Job {
  stage: Stage;
  /** None: a recording. */
  strikes: readonly CrashStrike[];
}

/** A trial that was held. */
export interface Held {
  stage: Stage;
  trial: Trial;
}

/** How trials are worked off. */
export interface LaneOptions {
  /** One trial at a time on each. */
  servers: readonly TortureServer[];
  signal?: AbortSignal | undefined;
  say(line: string): void;
  /** Asked before each trial: no time is left. */
  isOver(): boolean;
}

/** Holds trials, as many at a time as there are servers, and tells how it goes. What an interruption cut off is no trial. */
export async function inLanes(jobs: readonly Job[], options: LaneOptions): Promise<Held[]> {
  const { servers, signal, say, isOver } = options;
  const held: Held[] = [];
  let next = 0;
  const work = async (server: TortureServer) => {
    for (;;) {
      const job = signal?.aborted || isOver() ? undefined : jobs[next++];
      if (job === undefined) return;
      const trial = await job.stage.hold(job.strikes, server);
      if (signal?.aborted) return;
      held.push({ stage: job.stage, trial });
      for (const violation of trial.violations) say(`✗ ${job.stage.part}: ${violation}`);
      if (held.length % 25 === 0) say(`${held.length} of ${jobs.length} trials`);
    }
  };
  await Promise.all(servers.map(work));
  return held;
}
