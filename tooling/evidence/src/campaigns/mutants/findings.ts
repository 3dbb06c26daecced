import type { Findings } from '../../campaign.ts';
import type { Outcome } from './plant.ts';

/** A fault that was not planted: why it does not fit the sources of today, or null. */
export interface Looked {
  name: string;
  says: string | null;
}

/** The score, what was not caught, and what does not fit of those that were only looked at. */
export function findings(
  outcomes: readonly Outcome[],
  { planned, looked = [] }: { planned: number; looked?: readonly Looked[] },
): Findings {
  const caught = outcomes.filter(({ result }) => result === 'caught').length;
  const scores = [...Map.groupBy(outcomes, ({ owner }) => owner)].map(([owner, found]) => ({
    owner,
    planted: found.length,
    caught: found.filter(({ result }) => result === 'caught').length,
  }));
  const misfits = looked.filter(({ says }) => says !== null);
  const left = planned - outcomes.length;
  return {
    holds: planned > 0 && caught === planned && misfits.length === 0,
    figures: {
      planted: planned,
      caught,
      scores,
      ...(looked.length > 0 && { onlyLookedAt: looked.length, misfits }),
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
        ...(looked.length === 0
          ? []
          : [['not planted', `${looked.length} faults`, `${looked.length - misfits.length} fit`, '']]),
      ],
    },
    broken: [
      ...outcomes
        .filter(({ result }) => result !== 'caught')
        .map(({ name, fault, result, by }) => `${name} (${fault}): ${result}${by === '' ? '' : `: ${by}`}`),
      ...misfits.map(({ name, says }) => `${name} does not fit: ${says}`),
      ...(left > 0 ? [`${left} of ${planned} faults were not planted: the campaign was interrupted`] : []),
    ],
  };
}
