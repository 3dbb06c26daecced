import { planStrikes, type CrashPassage } from '@baton/testkit';
import {
  allMoments,
  blow,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';

import { judgeClean, judgeMerge } from './after-judge.ts';
import { batonMain, callBaton, type RunPlace } from './run-place.ts';
import { holdSteps, type RunStep } from './run-steps.ts';
import { runStep } from './run-trial.ts';
import { slightPlan } from './tough-plan.ts';
import { verbStep } from './verb-step.ts';

const { judge: _, ...unjudged } = runStep;

/** The run itself is not struck here, and judged elsewhere. */
const run: RunStep = { ...unjudged, points: /^$/ };

const clean = verbStep({ points: /sweep-refs/, args: () => ['clean'], judge: judgeClean });

/** `baton merge`; with work of the user's own beside that of the run, it takes a merge commit. */
const merge = ({ isDiverged }: { isDiverged: boolean }): RunStep =>
  verbStep({
    points: /merge-run/,
    async args({ repo }: RunPlace, at) {
      if (at === 0 && isDiverged) {
        await repo.write({ 'own.txt': 'own\n' });
        await repo.git('add', 'own.txt');
        await repo.git('commit', '--quiet', '-m', 'own work');
      }
      return ['merge'];
    },
    judge: (place) => judgeMerge(place, { isDiverged }),
  });

/** What is done after a run: its work is merged, then what is left of it is cleaned away; each killed, and called again. */
function afterStage(options: StageOptions, given: { isDiverged: boolean }): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold: (strikes, server) =>
      holdSteps(strikes, {
        ...options,
        server,
        plan: slightPlan,
        compileCache: server.compileCache,
        steps: [run, merge(given), clean],
      }),
    plan(passages, seed) {
      const of = (name: string) => planStrikes(passages.filter(isOf(name)), { ...blows, seed });
      const merges = of('merge-run');
      // Both refs are struck in the stage whose merges are few.
      const sweeps = given.isDiverged
        ? []
        : [1, 2].flatMap((passage) =>
            of('sweep-refs')
              .filter((strike) => strike.passage === 1)
              .map((strike) => ({ ...strike, passage })),
          );
      return Array.from({ length: Math.max(merges.length, sweeps.length) }, (_, at) => [
        ...merges.slice(at, at + 1),
        ...sweeps.slice(at, at + 1),
      ]);
    },
    few: () => [],
  };
}

const blows = { victim: 'self', moments: allMoments } as const;
const isOf =
  (name: string) =>
  ({ point }: CrashPassage) =>
    point.includes(`janitor/after/${name}:`);

/** Where the user's branch stands where the run began: merging is a fast-forward. */
export const forwardStage = (options: StageOptions): Stage => afterStage(options, { isDiverged: false });

/** Where the user has worked, too. */
export const divergedStage = (options: StageOptions): Stage => afterStage(options, { isDiverged: true });

/** A run that is cleaned after in the middle: whoever carries it on finds all that it still needs. */
const cleanedRun: RunStep = {
  ...runStep,
  async call(place, how) {
    if (how.wasKilled) {
      const cleaned = await callBaton([batonMain, 'clean'], { place, signal: how.signal });
      if (cleaned.exitCode !== 0) return { ...cleaned, what: '`baton clean`' };
    }
    return runStep.call(place, how);
  },
};

/** Runs that are killed while they land; `baton clean` is called before they are carried on. */
export function cleanedStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold: (strikes, server) =>
      holdSteps(strikes, {
        ...options,
        server,
        plan: slightPlan,
        compileCache: server.compileCache,
        steps: [cleanedRun],
      }),
    plan: (passages) =>
      passages
        .filter(({ point }) => /publish-candidate|move-refs:localMove|^pg:write-intent$/.test(point))
        .map(({ point, passage }) => [blow(point, { passage })]),
    few: () => [],
  };
}
