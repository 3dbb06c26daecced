import path from 'node:path';

import {
  crashPointArguments,
  readCrashLog,
  tellStrike,
  type CrashCatalogue,
  type CrashStrike,
} from '@baton/testkit';
import type { Ended } from '../../../../packages/task-store/test/campaigns/torture/run-watched.ts';
import { byProcess, type Trial } from '../../../../packages/task-store/test/campaigns/torture/trial.ts';

import { openPlace, type PlaceOptions, type RunPlace } from './run-place.ts';
import { judgeRunMoment } from './run-judge.ts';

/** One thing that a person does, however often it is struck. */
export interface RunStep {
  /** The points whose blows fall in it. */
  points: RegExp;
  /** Does it, or carries it on where an earlier call was struck; null when nothing is left to do. */
  call(place: RunPlace, how: StepCall): Promise<(Ended & { what: string }) | null>;
  /** What is wrong once it is done. */
  judge?(place: RunPlace): Promise<string[]>;
}

/** How one call of a step is made. */
export interface StepCall {
  /** Arguments for Node that let the blow fall. */
  watched: readonly string[];
  /** 0 for the first call of the step. */
  at: number;
  /** The call before it was killed. */
  wasKilled: boolean;
  signal?: AbortSignal | undefined;
}

/** Where trials are held. */
export interface RunTrialOptions extends PlaceOptions {
  catalogue: CrashCatalogue;
}

/** Steps that follow each other in one place; each is struck and called again until it is done, then judged. */
export async function holdSteps(
  strikes: readonly CrashStrike[],
  { steps, ...options }: RunTrialOptions & { steps: readonly RunStep[] },
): Promise<Trial> {
  const { catalogue, signal } = options;
  await using place = await openPlace(options);
  const trial: Trial = { strikes, kills: 0, violations: [], passages: [] };
  const wrong = (violations: readonly string[]) =>
    trial.violations.push(...violations.map((each) => `${strikes.map(tellStrike).join(', ')}: ${each}`));
  const stepOf = ({ point }: CrashStrike) => steps.find(({ points }) => points.test(point)) ?? steps[0];
  let calls = 0;
  const once = async (step: RunStep, { blows, at, wasKilled }: OneCall): Promise<boolean | null> => {
    const [strike = null, ...more] = blows;
    const number = (calls += 1);
    const log = path.join(place.home, `log-${number}`);
    const order = { log, catalogue, strike, more };
    const watched = crashPointArguments(path.join(place.home, `order-${number}`), order);
    const ended = await step.call(place, { watched, at, wasKilled, signal });
    if (ended === null || signal?.aborted) return null;
    const passages = readCrashLog(log);
    trial.passages.push(...passages);
    const fallen = passages.filter(({ struck }) => struck !== undefined);
    trial.kills += fallen.length;
    // Where its agents are watched too, the blow may have fallen on one of them.
    const isKilled = strike?.victim === 'self' && fallen.some(({ pid }) => pid === ended.pid);
    if (isKilled ? ended.signal !== 'SIGKILL' : ended.exitCode !== 0)
      wrong([`${ended.what} ended with ${ended.signal ?? ended.exitCode}: ${ended.stderr.slice(-2_000)}`]);
    if (isKilled) wrong(await judgeRunMoment(place));
    return isKilled;
  };
  try {
    for (const step of steps) {
      let wasKilled: boolean | null = false;
      const groups = [...byProcess(strikes.filter((strike) => stepOf(strike) === step)), []];
      for (const [at, blows] of groups.entries()) {
        wasKilled = await once(step, { blows, at, wasKilled });
        if (wasKilled === null) break;
      }
      if (signal?.aborted) break;
      wrong((await step.judge?.(place)) ?? []);
    }
  } catch (error) {
    wrong([
      `the trial broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ]);
  }
  return trial;
}

interface OneCall {
  blows: readonly CrashStrike[];
  at: number;
  wasKilled: boolean;
}
