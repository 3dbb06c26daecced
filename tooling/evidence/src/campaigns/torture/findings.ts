import type { Trials } from '../../../../../packages/task-store/test/campaigns/torture/sums.ts';
import type { Findings } from '../../campaign.ts';
import type { Gathered } from './gathered.ts';

const leastKills = 500;
const leastSimulated = 100_000;

/** Adds up what was gathered, for people and machines. */
export function findingsOf(gathered: Gathered): Findings {
  const { points, sums, simulated, totals, isFull, isCutOff, interruption, size } = gathered;
  const all = Object.values(sums);
  const sum = (pick: (one: Trials) => number) => all.reduce((count, one) => count + pick(one), 0);
  const reached = new Set(all.flatMap((one) => one.reached));
  const struck = [...new Set(all.flatMap((one) => one.struck))];
  const unreached = points.filter((point) => !reached.has(point));
  const unstruck = [...reached].filter((point) => !struck.some((blow) => blow.startsWith(`${point} `)));
  const violations = [...all.flatMap((one) => one.violations), ...(simulated?.violations ?? [])];
  const trials = sum((one) => one.trials);
  const kills = sum(({ kills }) => kills);
  const by = (end: string) => struck.filter((blow) => blow.endsWith(end)).length;
  const row = (what: string, here: number, ever: number | string = '') => [what, here, ever];
  const broken = [
    ...violations,
    // A blow that never falls shows nothing: its point has another name by now, or is gone.
    ...Object.entries(sums).flatMap(([part, one]) =>
      one.trials > 0 && one.kills === 0 ? [`No blow fell in ${part}.`] : [],
    ),
    ...(interruption === null
      ? []
      : [
          `Interrupted by ${interruption} after ${trials} of ${size ?? 'all'} trials: this is what there was.`,
        ]),
    ...(isCutOff ? ['The time was over before all blows had fallen; run it on a quieter machine.'] : []),
    ...(isFull && kills < leastKills ? [`Only ${kills} real kills, not ${leastKills}.`] : []),
    ...(isFull && (simulated?.trials ?? 0) < leastSimulated
      ? [`Only ${simulated?.trials ?? 0} simulated trials, not ${leastSimulated}.`]
      : []),
  ];
  return {
    holds: broken.length === 0,
    figures: {
      points: points.length,
      reached: reached.size,
      unreached,
      unstruck,
      missed: all.flatMap((one) => one.missed),
      trials,
      trialsByPart: Object.fromEntries(Object.entries(sums).map(([part, one]) => [part, one.trials])),
      kills,
      killsByPart: Object.fromEntries(Object.entries(sums).map(([part, one]) => [part, one.kills])),
      blows: { self: by(' self'), backend: by(' backend'), postmaster: by(' postmaster') },
      ...(interruption !== null && { interruption }),
      simulated: simulated?.trials ?? 0,
      simulatedCrashes: simulated?.crashes ?? 0,
      violations: violations.length,
      inAll: totals && { ...totals, reached: totals.reached.length, struck: totals.struck.length },
    },
    table: {
      columns: ['what', 'this run', 'in all'],
      rows: [
        row('crash points in the text', points.length),
        row('points reached', reached.size, totals?.reached.length),
        row('points never reached', unreached.length),
        row('different blows (point × moment × victim)', struck.length, totals?.struck.length),
        row('real trials', trials, totals?.trials),
        ...Object.entries(sums).map(([part, one]) => row(`real kills: ${part}`, one.kills)),
        row('real kills', kills, totals?.kills),
        row('simulated trials', simulated?.trials ?? 0, totals?.simulated),
        row('violations', violations.length, totals?.violations),
      ],
    },
    broken,
  };
}
