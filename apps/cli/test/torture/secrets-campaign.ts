import { planStrikes } from '@baton/testkit';
import {
  allMoments,
  blow,
  inGroups,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';

import { holdSteps, type RunStep } from './run-steps.ts';
import { runStep } from './run-trial.ts';
import { firstBlow, judgeRescue, rescuedInto, secretsPlan } from './secrets-plan.ts';
import { verbStep } from './verb-step.ts';

/** `baton rescue` of a task; a call that was killed is followed by one into another folder, as the message of a third would say. */
const rescue = (key: string, points: RegExp): RunStep =>
  verbStep({
    points,
    args: ({ home }, at) => ['rescue', key, '--into', rescuedInto(home, { key, at })],
    judge: (place) => judgeRescue(place, key),
  });

const withIndex = 'git:read-tree spawner/salvage/write-tree:writeTree';
const removal = 'fs:rm spawner/salvage/write-tree:removeDeadDrafts';

/** Runs that are struck down while agents have secrets among their work; it is salvaged, and restored in the end. Both are struck again. */
export function secretsStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    async hold(strikes, server) {
      const trial = await holdSteps([firstBlow, ...strikes], {
        ...options,
        server,
        plan: secretsPlan,
        compileCache: server.compileCache,
        steps: [
          { ...runStep, points: /keepSecrets|keepAttempt/ },
          rescue('both', /restoreSalvage|restoreSecret|write-tree:writeTree|removeDeadDrafts/),
          // Nothing that is struck tells the two apart.
          ...(strikes.length === 0 ? [rescue('bare', /^$/)] : []),
        ],
      });
      return { ...trial, strikes };
    },
    plan(passages, seed) {
      const of = (points: RegExp) =>
        planStrikes(
          // Both tasks pass them; the first one's are struck.
          passages.filter(
            ({ point }, at) =>
              points.test(point) && passages.findIndex((earlier) => earlier.point === point) === at,
          ),
          { victim: 'self', moments: allMoments, seed },
        ).filter(({ point, moment }) => moment === 'after' || /^(git|fs:copyFile|fs:writeFile)/.test(point));
      const kept = of(/keepSecrets/);
      const restored = inGroups(of(/restoreSalvage|restoreSecret|write-tree:writeTree/), 3);
      // Only who comes after a call that was killed has something to remove.
      restored.push([
        blow(withIndex, { moment: 'middle' }),
        blow(removal, { moment: 'before' }),
        blow(removal),
      ]);
      return kept.map((strike, at) => [strike, ...(restored[at] ?? [])]);
    },
    few: () => [],
  };
}
