import { planStrikes, type CrashPassage, type CrashStrike } from '@baton/testkit';
import {
  allMoments,
  blow,
  dice,
  inChains,
  inGroups,
  inPairs,
  shuffled,
  type Stage,
  type StageOptions,
} from '../../../../packages/task-store/test/campaigns/torture/stage.ts';

import { runTrial } from './run-trial.ts';
import { checkedOutPlan, oddPlan, slightPlan, toughPlan } from './tough-plan.ts';

/** Making a folder that may be there already and the like: once is enough, at whatever moment the seed chooses. */
const harmless = /^fs:(mkdir|utimes|chmod|chown)/;
/** Points of the embedded server's own folder; only a run that starts it passes them. */
const ofServer = /embedded-postgres/;

/** Real runs of `baton run` on a real repository, killed at the points that they pass, and resumed. */
export function runsStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: true,
    hold: (strikes, server) =>
      runTrial(strikes, { ...options, server, plan: toughPlan, compileCache: server.compileCache }),
    plan(passages, seed) {
      const strikes = strikesOf(passages, seed);
      // Every other of what is struck elsewhere; the rest is for other seeds.
      const some = strikes.filter(isLesser).filter((_, at) => at % 2 === seed % 2);
      const lesser = shuffled(some, dice(seed));
      const others = strikes.filter((strike) => !isLesser(strike));
      return [...inChains(others, passages, 3), ...inGroups(lesser, 4)];
    },
    // The run whose branch is checked out has a single task, so that it is over soonest.
    few: () => [],
  };
}

/** Struck in detail in the store's own lives, or harmless: several fall in one run, each on the process that resumed it. */
const isLesser = ({ point }: CrashStrike) => harmless.test(point) || point.startsWith('pg:');

/** Everything before and after, files half-written too; what is lesser, once. */
function strikesOf(passages: readonly CrashPassage[], seed: number): CrashStrike[] {
  return planStrikes(passages, { victim: 'self', moments: allMoments, seed }).filter((strike, _, all) => {
    const { point, passage, moment } = strike;
    // The reaper ends with us: it has no end that we could see.
    if (/startReaper|startReader/.test(point) && moment === 'after') return false;
    const ofPoint = all.filter((other) => other.point === point);
    if (isLesser(strike)) return strike === ofPoint[seed % ofPoint.length];
    if (passage > 1) return false;
    return moment !== 'middle' || /^(fs:|git:update-ref)/.test(point);
  });
}

/** What only agents bring about that are odd: see {@link oddPlan}. */
const ofOddities =
  /addNested|dropStrayLinks|setFlag|update-index .*stageTree|own-work|importAgentHead|kill-tree|run-check|session-log:append/;

/** Runs with such agents, killed where only these lead. */
export function oddRunsStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: true,
    hold: (strikes, server) =>
      runTrial(strikes, { ...options, server, plan: oddPlan, compileCache: server.compileCache }),
    plan(passages, seed) {
      const odd = passages.filter(({ point }) => ofOddities.test(point));
      const strikes = planStrikes(odd, { victim: 'self', moments: allMoments, seed });
      return inPairs(
        strikes.filter(
          ({ passage, moment, point }) => passage === 1 && (moment !== 'middle' || point.startsWith('fs:')),
        ),
        passages,
      );
    },
    few: () => [],
  };
}

/** Runs whose work lands on the branch that the user has checked out, killed where only these lead. */
export function checkedOutStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: true,
    hold: (strikes, server) =>
      runTrial(strikes, { ...options, server, plan: checkedOutPlan, compileCache: server.compileCache }),
    // With a single task, nothing that comes later makes good what the end of its landing left: each fact counts.
    plan: (passages, seed) =>
      planStrikes(
        passages.filter(({ point }) => /checked-out|repair-checkout|^pg:apply$/.test(point)),
        { victim: 'self', moments: allMoments, seed, everyPassage: (point) => point === 'pg:apply' },
      ).map((strike) => [strike]),
    few: () => [[blow('git:update-ref janitor/land/move-checked-out:moveCheckedOut')]],
  };
}

/** Runs that start an embedded server of their own, killed at its points. */
export function ownServerStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold: (strikes, { compileCache }) =>
      runTrial(strikes, { ...options, server: null, plan: slightPlan, compileCache }),
    plan(passages, seed) {
      const ours = passages.filter(({ point }) => ofServer.test(point));
      const strikes = planStrikes(ours, { victim: 'self', moments: allMoments, seed }).filter(
        ({ passage, point, moment }) =>
          passage === 1 &&
          !(harmless.test(point) && moment !== 'after') &&
          !(point.includes('launch') && moment === 'after'),
      );
      return inPairs(strikes, passages);
    },
    few: () => [],
  };
}

/** Runs under which the backend of their embedded server, or the whole of it, is killed. */
export function underRunsStage(options: StageOptions): Stage {
  return {
    part: 'runs',
    recovers: false,
    hold: (strikes, { compileCache }) =>
      runTrial(strikes, { ...options, server: null, plan: toughPlan, compileCache }),
    plan(passages, seed) {
      const statements = passages.filter(({ point }) =>
        /^pg:(apply|claim|write-intent|take-for)/.test(point),
      );
      const strikes = (['backend', 'postmaster'] as const).flatMap((victim) =>
        planStrikes(statements, { victim, moments: ['middle'], seed }).filter(({ passage }) => passage > 1),
      );
      // Every other of them; the rest is for other seeds.
      const some = strikes.filter((_, at) => at % 2 === seed % 2);
      return inGroups(shuffled(some, dice(seed)), 3);
    },
    few: () => [],
  };
}
