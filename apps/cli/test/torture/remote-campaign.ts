import { planStrikes } from '@baton/testkit';
import {
  allMoments,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';

import { callWorker, judgeRemote, remoteIn } from './remote-place.ts';
import { holdSteps, type RunStep } from './run-steps.ts';
import { slightPlan, type TortureScript } from './tough-plan.ts';

/** As little as there can be, for a remote beside the user's repository. */
export const remotePlan: TortureScript = {
  ...slightPlan,
  prepare: async (repo, folder) =>
    void (await repo.git('clone', '--bare', '--quiet', repo.path, remoteIn(folder))),
};

/** A worker's run until it is over; it and the ones that carry on have one machine's state. */
const stepOn = (machine: string, options: Pick<RunStep, 'points'> & { name: 'plan' | 'next' }): RunStep => ({
  points: options.points,
  async call(place, how) {
    // A last process looks after whatever the one before left, be the run over or not.
    if (how.at > 0 && !how.wasKilled) return null;
    return callWorker(place, { ...how, run: { name: options.name, machine } });
  },
});

/** A run on one machine, then one on another, which has nothing of what the first made but the remote. */
const steps: readonly RunStep[] = [
  stepOn('here', { name: 'plan', points: /remoteMove/ }),
  { ...stepOn('there', { name: 'next', points: /haveObject/ }), judge: judgeRemote },
];

/** Runs of worker processes whose target lies on a remote, killed where only these lead. */
export function remoteStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold: (strikes, server) =>
      holdSteps(strikes, {
        ...options,
        server,
        plan: remotePlan,
        compileCache: server.compileCache,
        steps,
      }),
    plan(passages, seed) {
      const blows = { victim: 'self', moments: allMoments, seed } as const;
      const of = (name: string) =>
        planStrikes(
          passages.filter(({ point }) => point.endsWith(`:${name}`)),
          blows,
        ).filter(({ passage }) => passage === 1);
      // The branch is made, the lane is taken, the work lands: each a push of its own.
      const pushes = [1, 2, 3].flatMap((passage) =>
        of('remoteMove').map((strike) => ({ ...strike, passage })),
      );
      const fetches = of('haveObject');
      return pushes.map((push, at) => [push, ...fetches.slice(at, at + 1)]);
    },
    few: () => [],
  };
}
