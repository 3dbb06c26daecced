import type { Findings } from '../../campaign.ts';
import type { Outcome } from './plant.ts';

/** The score, and what was not caught. */
export function findings(outcomes: readonly Outcome[], { planned }: { planned: number }): Findings {
  const caught = outcomes.filter(({ result }) => result === 'caught').length;
  const scores = [...Map.groupBy(outcomes, ({ owner }) => owner)].map(([owner, found]) => ({
    owner,
    planted: found.length,
    caught: found.filter(({ result }) => result === 'caught').length,
  }));
  const left = planned - outcomes.length;
  return {
    holds: planned > 0 && caught === planned,
    figures: {
      planted: planned,
      caught,
      scores,
      faults: outcomes.map(({ name, owner, fault, result, by, says }) => ({
        name,
        owner,
        fault,
        result,
        by,
        says,
      })),
    },
    table: {
      columns: ['package', 'planted fault', 'result', 'first test that is red'],
      rows: [
        ...outcomes.map(({ owner, fault, result, by }) => [
          ...[owner, fault, result],
          result === 'caught' ? by : '',
        ]),
        ...scores.map(({ owner, ...score }) => [
          owner,
          `${score.planted} faults`,
          `${score.caught} caught`,
          '',
        ]),
        ['all', `${planned} faults`, `${caught} caught`, ''],
      ],
    },
    broken: [
      ...outcomes
        .filter(({ result }) => result !== 'caught')
        .map(({ name, fault, result, by }) => `${name} (${fault}): ${result}${by === '' ? '' : `: ${by}`}`),
      ...(left > 0 ? [`${left} of ${planned} faults were not planted: the campaign was interrupted`] : []),
    ],
  };
}
