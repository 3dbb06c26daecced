import { seededRandom } from '@baton/testkit';
import type { Campaign, CampaignOptions, Findings } from '../campaign.ts';
import { runsOfFixed, worksOf } from './train/order.ts';
import { play, type Trial } from './train/trial.ts';

const fixedSize = 5;
const badShare = 0.05;
const fewerRuns = 2.3;
const lessWall = 1.5;
const moreRuns = 1.4;
const ways = ['one at a time', 'trains', 'trains, next ahead'] as const;
const fullTrials = 3;
const fullWaiting = 32;

/** What waits together lands together: fewer gate runs for the same decisions. */
export const train: Campaign = {
  name: 'train',
  shows: `${fullWaiting} finished tasks, some of them red alone and two red together, land as trains with at most 1/${fewerRuns} of the gate runs of one at a time, and with the next train verified ahead in at most 1/${lessWall} of their time with at most ${moreRuns} times their gate runs; the target is never red, none is refused for another's work, each lands once`,
  adds: `runs of ${fullWaiting} tasks in all three ways`,
  run: measure,
};

async function measure({ short, seed, say, trials = fullTrials }: CampaignOptions): Promise<Findings> {
  const random = seededRandom(seed);
  const sizes = short ? { count: 8, gateSeconds: 1 } : { count: fullWaiting, gateSeconds: 2 };
  const played: Trial[] = [];
  let fixed = 0;
  for (let at = 0; at < (short ? 1 : trials); at += 1) {
    // Over all runs together it is this share.
    const upTo = (runs: number) => Math.round(runs * sizes.count * badShare);
    const works = worksOf({ count: sizes.count, wrong: upTo(at + 1) - upTo(at), random });
    fixed += runsOfFixed(works, fixedSize);
    for (const way of ways) {
      const order = { works, way, gateSeconds: sizes.gateSeconds, seed: seed + at };
      const trial = await play(order, () => undefined);
      played.push(trial);
      say(
        `${way}: ${trial.landed} landed, ${trial.gateRuns} gate runs, ${trial.seconds.toFixed(1)} s${trial.problems.map((problem) => `; ${problem}`).join('')}`,
      );
    }
  }
  return judge({ played, fixed, short });
}

function judge({
  played,
  fixed,
  short,
}: {
  played: readonly Trial[];
  fixed: number;
  short: boolean;
}): Findings {
  const of = (way: Trial['way']) => played.filter((trial) => trial.way === way);
  const total = (way: Trial['way'], figure: (trial: Trial) => number) =>
    of(way).reduce((sum, trial) => sum + figure(trial), 0);
  const perTask = (way: Trial['way']) =>
    total(way, ({ gateRuns }) => gateRuns) / total(way, ({ landed }) => landed);
  const ratio = perTask('one at a time') / perTask('trains');
  const seconds = (way: Trial['way']) => total(way, (trial) => trial.seconds);
  const speedUp = seconds('one at a time') / seconds('trains');
  const wallAhead = seconds('trains') / seconds('trains, next ahead');
  const runsAhead = perTask('trains, next ahead') / perTask('trains');
  const fixedPerTask = fixed / total('trains', ({ landed }) => landed);
  const broken = [
    ...played.flatMap(({ way, problems }) => problems.map((problem) => `${way}: ${problem}`)),
    // Of so few that the first ones land before the others are done, nothing can be said.
    ...(short || ratio >= fewerRuns ? [] : [`Trains need 1/${ratio.toFixed(2)} of the gate runs only.`]),
    ...(short || (wallAhead >= lessWall && runsAhead <= moreRuns)
      ? []
      : [
          `With the next train ahead, it takes 1/${wallAhead.toFixed(2)} of the time with ${runsAhead.toFixed(2)} times the gate runs.`,
        ]),
  ];
  const round = (value: number) => Number(value.toFixed(2));
  return {
    holds: broken.length === 0,
    figures: {
      tasks: played.reduce((sum, { works }) => sum + works.length, 0),
      landed: played.reduce((sum, { landed }) => sum + landed, 0),
      gateRunsOfOne: total('one at a time', ({ gateRuns }) => gateRuns),
      gateRunsOfTrains: total('trains', ({ gateRuns }) => gateRuns),
      gateRunsOfFixed: fixed,
      fewerGateRuns: round(ratio),
      fewerThanFixed: round(fixedPerTask / perTask('trains')),
      fasterWall: round(speedUp),
      gateRunsAhead: total('trains, next ahead', ({ gateRuns }) => gateRuns),
      moreGateRunsAhead: round(runsAhead),
      fasterWallAhead: round(wallAhead),
    },
    table: {
      columns: ['way', 'landed', 'gate runs', 'gate runs a landed task', 'wall s', 'broken'],
      rows: [
        ...ways.map((way) => [
          way,
          total(way, ({ landed }) => landed),
          total(way, ({ gateRuns }) => gateRuns),
          perTask(way).toFixed(2),
          seconds(way).toFixed(1),
          of(way).filter(({ problems }) => problems.length > 0).length,
        ]),
        [
          `a fixed batch of ${fixedSize}, computed`,
          total('trains', ({ landed }) => landed),
          fixed,
          fixedPerTask.toFixed(2),
          '–',
          0,
        ],
      ],
    },
    broken,
  };
}
