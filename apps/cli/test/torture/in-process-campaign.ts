import { planStrikes } from '@baton/testkit';
import {
  allMoments,
  blow,
  inGroups,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';

import { inProcessPlan, inProcessStep, scriptedModel } from './in-process-plan.ts';
import { holdSteps } from './run-steps.ts';

/** What only Baton's own loop around a model passes: in its process, and in Baton's that keeps its checkpoints. */
const ofLoop = /adapters\/in-process|^pg:append-checkpoint$/;

/** The first two files are new; the third is the one that is there and changed. */
const halfEdited = blow('fs:writeFile spawner/in-process/tools/file-tools:writeWhole', {
  passage: 3,
  moment: 'middle',
});

/** So many of its processes may die before a task is given up. */
const deathsOfTask = 2;

/** Runs of agents that are Baton's own loop around a model; their process is killed, or Baton's. */
export function inProcessStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    async hold(strikes, server) {
      const model = await scriptedModel();
      try {
        const plan = inProcessPlan({ url: model.url, catalogue: options.catalogue });
        const { compileCache } = server;
        return await holdSteps(strikes, {
          ...options,
          server,
          plan,
          compileCache,
          steps: [inProcessStep(strikes)],
        });
      } finally {
        await model.close();
      }
    },
    plan(passages, seed) {
      const ours = passages.filter(({ point }) => ofLoop.test(point));
      const planned = planStrikes(ours, { victim: 'self', moments: allMoments, seed });
      const strikes = planned.filter(({ point, moment, passage }) => passage === 1 && isOfUse(point, moment));
      const ofBaton = strikes.filter(({ point }) => point.startsWith('pg:'));
      const ofAgents = strikes.filter(({ point }) => !point.startsWith('pg:'));
      return [...inGroups([halfEdited, ...ofAgents], deathsOfTask), ...inGroups(ofBaton, 1)];
    },
    few: () => [],
  };
}

/** Making a folder that may be there already and the like: once is enough. Half of a removed file is all of it, or nothing. */
function isOfUse(point: string, moment: string): boolean {
  if (/^fs:(mkdir|chmod)|^fs:rm .*writeWhole/.test(point)) return moment === 'after';
  return moment !== 'middle' || !point.startsWith('fs:rm ');
}
