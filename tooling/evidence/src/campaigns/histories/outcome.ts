import type { History } from './history.ts';
import type { Judgement } from './judge.ts';
import type { Struck } from './steps.ts';

/** A history as it was played and judged: what is reported of it. */
export interface Outcome extends Judgement {
  history: History;
  struck: readonly Struck[];
  gateRuns: number;
  lies: number;
  ms: number;
}

/** A history in one line, for whoever has to find out what went wrong. */
export function describeHistory({ history, struck }: Pick<Outcome, 'history' | 'struck'>): string {
  const { seed, place, trouble, works, person, lies, everyCommit, together } = history;
  const described = works.map(
    ({ key, shape, later, retries }) =>
      `${key}${shape === 'one' ? '' : ` (${shape})`}${later === null ? '' : ` on the ${later.on} after ${later.decided}`}${retries > 0 ? ' with a retry' : ''}`,
  );
  return [
    `seed ${seed}: ${place}, ${trouble}${everyCommit ? ', each commit judged' : ''}${together ? ', all waiting together' : ''}`,
    `works: ${described.join(', ')}`,
    ...(person.length === 0
      ? []
      : [`person: ${person.map(({ act, decided }) => `${act} after ${decided}`).join(', ')}`]),
    ...(lies.length === 0 ? [] : [`the gate is wrong at ${lies.join(' ')}`]),
    ...(struck.length === 0
      ? []
      : [`struck: ${struck.map(({ step, moment, how }) => `${how} ${moment} ${step}`).join(', ')}`]),
  ].join('; ');
}
