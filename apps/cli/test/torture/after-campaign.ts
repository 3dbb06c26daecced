import type { CrashMoment } from '@baton/testkit';
import {
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

const mergePoint = 'git:merge janitor/after/merge-run:mergeRun';
const conflictsPoint = 'git:merge-tree janitor/after/merge-run:conflicts';
const sweepPoint = 'git:update-ref janitor/after/sweep-refs:applySweep';

/** A run that is cleaned after when it was killed: whoever carries it on finds all that it still needs. */
const run: RunStep = {
  ...runStep,
  points: /land\/|^pg:/,
  async call(place, how) {
    if (how.wasKilled) {
      const cleaned = await callBaton([batonMain, 'clean'], { place, signal: how.signal });
      if (cleaned.exitCode !== 0) return { ...cleaned, what: '`baton clean`' };
    }
    return runStep.call(place, how);
  },
};

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

const clean = verbStep({ points: /sweep-refs/, args: () => ['clean'], judge: judgeClean });

/** A run that is killed where it lands, and both of what a person does with its work then: merge it, and clean away what is left of it. */
const strikesOf = (
  landing: string | null,
  { moment, isDiverged }: { moment: CrashMoment; isDiverged: boolean },
) => [
  ...(landing === null ? [] : [blow(landing, { passage: landing.endsWith(':localMove') ? 3 : 1 })]),
  ...(isDiverged ? [blow(conflictsPoint, { moment, delayMs: 2 })] : []),
  blow(mergePoint, { moment, delayMs: 2 }),
  // A branch goes, then its lane.
  blow(sweepPoint, { passage: isDiverged ? 2 : 1, moment, delayMs: 1 }),
];

/** What comes after runs: each command is killed, and called again until it is through. */
export function afterStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold(strikes, server) {
      const isDiverged = strikes.length === 0 || strikes.some(({ point }) => point === conflictsPoint);
      return holdSteps(strikes, {
        ...options,
        server,
        plan: slightPlan,
        compileCache: server.compileCache,
        steps: [run, merge({ isDiverged }), clean],
      });
    },
    plan: () => [
      strikesOf('git:fetch janitor/land/publish-candidate:publishCandidate', {
        moment: 'before',
        isDiverged: false,
      }),
      strikesOf('pg:write-intent', { moment: 'middle', isDiverged: false }),
      strikesOf('git:update-ref janitor/land/move-refs:localMove', { moment: 'after', isDiverged: false }),
      strikesOf(null, { moment: 'before', isDiverged: true }),
      strikesOf(null, { moment: 'middle', isDiverged: true }),
      strikesOf(null, { moment: 'after', isDiverged: true }),
    ],
    few: () => [],
  };
}
