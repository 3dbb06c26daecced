import type { Findings } from '../../campaign.ts';
import { troubles } from './history.ts';
import { describeHistory, type Outcome } from './outcome.ts';

const sum = (outcomes: readonly Outcome[], figure: (outcome: Outcome) => number): number =>
  outcomes.reduce((all, outcome) => all + figure(outcome), 0);

function countsOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The table and the figures of all histories. */
export function findingsOf(
  outcomes: readonly Outcome[],
  { failures, seconds }: { failures: readonly string[]; seconds: number },
): Findings {
  const broken = [
    ...outcomes.flatMap((outcome) =>
      outcome.problems.map((problem) => `${problem} (${describeHistory(outcome)})`),
    ),
    ...failures,
  ];
  const struck = outcomes.flatMap((outcome) => outcome.struck);
  const bad = (some: readonly Outcome[]) => some.filter(({ problems }) => problems.length > 0).length;
  return {
    holds: broken.length === 0,
    figures: {
      histories: outcomes.length,
      broken: bad(outcomes),
      works: sum(outcomes, ({ history }) => history.works.length),
      landed: sum(outcomes, ({ landed }) => landed),
      refused: sum(outcomes, ({ rejected }) => rejected),
      conflicts: sum(outcomes, ({ conflicts }) => conflicts),
      wronglyRed: sum(outcomes, ({ wronglyRed }) => wronglyRed),
      wrongGateRuns: sum(outcomes, ({ lies }) => lies),
      gateRuns: sum(outcomes, ({ gateRuns }) => gateRuns),
      blows: countsOf(struck.map(({ how }) => how)),
      differentBlows: new Set(struck.map(({ step, moment, how }) => `${how} ${moment} ${step}`)).size,
      steps: countsOf(struck.map(({ step }) => step)),
      places: countsOf(outcomes.map(({ history }) => history.place)),
      person: countsOf(outcomes.flatMap(({ history }) => history.person.map(({ act }) => act))),
      kindsOfWork: countsOf(outcomes.flatMap(({ history }) => history.works.map(({ kind }) => kind))),
      secondsEach: Number((seconds / Math.max(1, outcomes.length)).toFixed(2)),
    },
    table: {
      columns: [
        'holders',
        'histories',
        'works',
        'landed',
        'refused',
        'conflicts',
        'wrongly red',
        'blows',
        'broken',
      ],
      rows: troubles.flatMap((trouble) => {
        const some = outcomes.filter(({ history }) => history.trouble === trouble);
        if (some.length === 0) return [];
        return [
          [
            holders[trouble],
            some.length,
            sum(some, ({ history }) => history.works.length),
            sum(some, ({ landed }) => landed),
            sum(some, ({ rejected }) => rejected),
            sum(some, ({ conflicts }) => conflicts),
            sum(some, ({ wronglyRed }) => wronglyRed),
            sum(some, (outcome) => outcome.struck.length),
            bad(some),
          ],
        ];
      }),
    },
    broken,
  };
}

const holders: Record<(typeof troubles)[number], string> = {
  none: 'two in one process',
  stalls: 'two in one process, whose calls hang past their lease',
  kill: 'three processes, killed',
  stop: 'three processes, stopped past their lease',
  freeze: 'three processes, stopped with the programs they run',
};
