import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { CrashMoment } from '@baton/testkit';
import {
  blow,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';

import { callWorker, judgeRemote, remoteIn } from './remote-place.ts';
import { holdSteps, type RunStep } from './run-steps.ts';
import { slightPlan, type TortureScript } from './tough-plan.ts';

const push = (passage: number, moment: CrashMoment) =>
  blow('git:push janitor/land/move-refs:remoteMove', { passage, moment, delayMs: 150 });
const fetched = (moment: CrashMoment) =>
  blow('git:fetch janitor/land/target-place:haveObject', { moment, delayMs: 4 });

/** The remote takes its time over work that lands, with all refs locked: a blow in the middle meets it there. */
const slowLanding = `#!/bin/sh
[ "$1" = prepared ] && [ "$(wc -l)" -gt 1 ] && sleep 0.3
exit 0
`;

/** As little as there can be, for a remote beside the user's repository. */
export const remotePlan: TortureScript = {
  ...slightPlan,
  async prepare(repo, folder) {
    const remote = remoteIn(folder);
    await repo.git('clone', '--bare', '--quiet', repo.path, remote);
    await writeFile(path.join(remote, 'hooks/reference-transaction'), slowLanding, { mode: 0o755 });
  },
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
    // The branch is made, the lane is taken, the work lands: each a push of its own. Who carries on makes fewer.
    plan: () => [
      [push(1, 'before'), push(3, 'before'), fetched('before')],
      [push(1, 'middle'), fetched('middle')],
      [push(1, 'after'), push(2, 'after'), fetched('after')],
      [push(2, 'before'), push(2, 'middle')],
      [push(2, 'middle')],
      [push(2, 'after'), push(2, 'before')],
    ],
    few: () => [],
  };
}
