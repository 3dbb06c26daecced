import type { Attempt, Run } from '@baton/task-store';
import { formatUsd } from './format.ts';

/** A cost as it was booked, and how much of it nobody measured. */
export interface Cost {
  costMicroUsd: number;
  /** The part of it that was booked at a bound. */
  unmeasuredMicroUsd: number;
  /** Attempts that did not tell all they spent. */
  unmeasured: number;
}

/** What attempts cost together. One that is over without a word of its spending is not measured, whoever looks first. */
export function costOf(attempts: readonly Attempt[]): Cost {
  const isUnmeasured = ({ meter, endedAt }: Attempt) =>
    meter === 'unknown' || meter === 'unmeasured' || (meter === 'open' && endedAt !== null);
  return {
    costMicroUsd: attempts.reduce((sum, attempt) => sum + attempt.costMicroUsd, 0),
    unmeasuredMicroUsd: attempts.reduce((sum, attempt) => sum + attempt.unmeasuredMicroUsd, 0),
    unmeasured: attempts.filter(isUnmeasured).length,
  };
}

/** What a run cost. */
export function costOfRun(
  run: Pick<Run, 'spentMicroUsd' | 'unmeasuredMicroUsd' | 'unmeasuredAttempts'>,
): Cost {
  return {
    costMicroUsd: run.spentMicroUsd,
    unmeasuredMicroUsd: run.unmeasuredMicroUsd,
    unmeasured: run.unmeasuredAttempts,
  };
}

/** A cost as data: null where nothing of it is known. */
export function knownCost({ costMicroUsd, unmeasured }: Cost): number | null {
  return unmeasured > 0 && costMicroUsd === 0 ? null : costMicroUsd;
}

/** A cost for people: what is not known is never shown as nothing. */
export function costText(cost: Cost): string {
  const { costMicroUsd, unmeasuredMicroUsd, unmeasured } = cost;
  if (unmeasured === 0) return formatUsd(costMicroUsd);
  if (costMicroUsd === 0) return 'not measured';
  if (unmeasuredMicroUsd === 0) return `${formatUsd(costMicroUsd)} and more, not measured`;
  const part = unmeasuredMicroUsd === costMicroUsd ? '' : `${formatUsd(unmeasuredMicroUsd)} of it `;
  return `${formatUsd(costMicroUsd)} (${part}not measured)`;
}
