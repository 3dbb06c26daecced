import type { Attempt, Run } from '@baton/task-store';
import { formatUsd, oneLine } from './format.ts';

/** A cost as it was booked, and how much of it is unmeasured. */
export interface Cost {
  costMicroUsd: number;
  /** The part of it that was booked at a bound. */
  unmeasuredMicroUsd: number;
  /** Attempts that did not tell all they spent. */
  unmeasured: number;
}

/**
 * What attempts cost together. An attempt that ended without reporting its spending is unmeasured, also while its meter
 * is open; so is one whose tokens have no price.
 */
export function costOf(attempts: readonly Attempt[]): Cost {
  const isUnmeasured = ({ meter, endedAt, ...told }: Attempt) =>
    meter === 'unknown' ||
    meter === 'unmeasured' ||
    (meter === 'open' && (endedAt !== null || hasUnpricedTokens(told)));
  return {
    costMicroUsd: attempts.reduce((sum, attempt) => sum + attempt.costMicroUsd, 0),
    unmeasuredMicroUsd: attempts.reduce((sum, attempt) => sum + attempt.unmeasuredMicroUsd, 0),
    unmeasured: attempts.filter(isUnmeasured).length,
  };
}

const hasUnpricedTokens = (
  told: Pick<Attempt, 'inputTokens' | 'outputTokens' | 'costMicroUsd' | 'costEstimated'>,
): boolean => told.costEstimated && told.costMicroUsd === 0 && told.inputTokens + told.outputTokens > 0;

/**
 * Why not all that attempts cost is known, as the end of a sentence: `no price is known for the model "x"`. Null: it
 * is, or no attempt gave a reason.
 */
export function whyUnmeasured(attempts: readonly Attempt[]): string | null {
  const reason = attempts.map(({ unmeasuredReason }) => unmeasuredReason).find((told) => told !== null);
  if (reason === undefined) return null;
  const text = oneLine(reason, 200).replace(/[.\s]+$/, '');
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
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
  if (costMicroUsd === 0) return 'unknown';
  if (unmeasuredMicroUsd === 0) return `${formatUsd(costMicroUsd)} and more, not measured`;
  const part = unmeasuredMicroUsd === costMicroUsd ? '' : `${formatUsd(unmeasuredMicroUsd)} of it `;
  return `${formatUsd(costMicroUsd)} (${part}not measured)`;
}
