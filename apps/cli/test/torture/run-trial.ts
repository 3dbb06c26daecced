import type { CrashStrike } from '@baton/testkit';
import type { Trial } from '../../../../packages/task-store/test/campaigns/torture/trial.ts';

import { judgeRun, storeOf } from './run-judge.ts';
import { batonMain, callBaton, type RunPlace } from './run-place.ts';
import { holdSteps, type RunStep, type RunTrialOptions } from './run-steps.ts';

/** One run of `baton run` that is struck, and resumed by a fresh process until it is over; then everything is judged. */
export async function runTrial(strikes: readonly CrashStrike[], options: RunTrialOptions): Promise<Trial> {
  return holdSteps(strikes, { ...options, steps: [runStep] });
}

/** The run of a place's plan, until it is over. */
export const runStep: RunStep = {
  points: /^/,
  async call(place, { watched, at, wasKilled, signal }) {
    const args = await nextCall(place, { at, wasKilled });
    if (args === null) return null;
    const ended = await callBaton([...watched, batonMain, ...args], { place, signal });
    return { ...ended, what: `\`baton ${args.join(' ')}\`` };
  },
  judge: judgeRun,
};

/** What a person would type next; null when nothing is left to do. */
async function nextCall(
  place: RunPlace,
  { at, wasKilled }: { at: number; wasKilled: boolean },
): Promise<string[] | null> {
  if (at === 0) return ['run', 'plan.yaml'];
  await using access = await storeOf(place);
  const runs = access === null ? [] : (await access.store.runs.list({ limit: 3 })).items;
  if (runs.length === 0) return ['run', 'plan.yaml'];
  if (runs.some(({ status }) => status !== 'done')) return ['run', '--resume'];
  // Killed when all was done: whatever it left is for whoever comes next.
  return wasKilled ? ['run', 'next.yaml'] : null;
}
