import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { planStrikes } from '@baton/testkit';
import {
  allMoments,
  blow,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';
import { planOf } from '../support/plans.ts';

import { runTrial } from './run-trial.ts';
import { agentOf, checkedOutPlan, rewrites, type TortureScript } from './tough-plan.ts';

/**
 * As {@link checkedOutPlan}, in a repository with a filter that kills its git once, while that brings the work into the user's files:
 * some are there then, others not, and the index is locked. What the filter is named for is the copy of a file that is there: other
 * content would be refused.
 */
export const frailPlan: TortureScript = {
  ...checkedOutPlan,
  text: (folder) =>
    planOf(
      'frail',
      [{ key: 'only', agent: agentOf(folder)(`${rewrites('only')}write('zz-frail.txt', 'z');`) }],
      {
        target: 'main',
      },
    ),
  async prepare(repo, folder) {
    const once = path.join(folder, 'frail');
    await writeFile(once, '');
    await repo.commit({ 'before.txt': 'z' }, 'before');
    await writeFile(path.join(repo.path, '.git/info/attributes'), 'zz-frail.txt filter=frail\n');
    await repo.git(
      'config',
      'filter.frail.smudge',
      `if rm '${once}' 2>/dev/null; then kill -KILL $PPID; fi; cat`,
    );
  },
};

const broken = blow('git:update-ref janitor/land/move-checked-out:moveCheckedOut');

/**
 * Runs whose git dies half-way through the user's checkout. What puts it right is struck in the process that lived through it, and in
 * the one that came after it.
 */
export function repairStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold: (strikes, server) =>
      runTrial(strikes, { ...options, server, plan: frailPlan, compileCache: server.compileCache }),
    plan(passages, seed) {
      const strikes = planStrikes(
        passages.filter(({ point }) => point.includes('repair-checkout')),
        { victim: 'self', moments: allMoments, seed },
      ).filter(
        ({ passage, moment, point }) => passage === 1 && (moment !== 'middle' || point.startsWith('git:')),
      );
      return strikes.map((strike) => (strike.point.startsWith('git:') ? [broken, strike] : [strike]));
    },
    few: () => [],
  };
}
