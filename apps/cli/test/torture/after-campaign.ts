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
    plan: (passages) =>
      allMoments.map((moment) => {
        const of = (name: string) =>
          passages.filter(({ point }) => point.startsWith('git:') && point.includes(name));
        const points = new Set(of('merge-run').map(({ point }) => point));
        // A branch and its lane go: each is struck in one of the two stages.
        const sweeps = of('sweep-refs')
          .slice(given.isDiverged ? 1 : 0)
          .slice(0, 1);
        return [
          ...[...points].map((point) => blow(point, { moment, delayMs: 2 })),
          ...sweeps.map(({ point, passage }) => blow(point, { passage, moment, delayMs: 1 })),
        ];
      }),
    few: () => [],
  };
}

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
        .filter(
          ({ point, passage }) =>
            /publishCandidate$|^pg:write-intent$/.test(point) || (/localMove$/.test(point) && passage > 1),
        )
        .map(({ point, passage }) => [blow(point, { passage })]),
    few: () => [],
  };
}
