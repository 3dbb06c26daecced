import { BatonError } from '@baton/contracts';
import { carryCommand, type Run } from '@baton/task-store';

import type { RunOptions } from './run-options.ts';

/** Options that only a new run takes; a run that began keeps what it began with. */
const ofNewRuns = {
  budget: '--budget',
  maxCost: '--max-cost',
  maxRetries: '--max-retries',
  agent: '--agent',
  model: '--model',
  effort: '--effort',
  target: '--target',
  pullRequests: '--pull-requests',
  review: '--review',
} as const satisfies Partial<Record<keyof RunOptions, string>>;

/**
 * Refuses what would have no effect on a run that is carried on: a cap that was typed and does not hold would be exceeded.
 * @param given.plan a plan file or goal that was typed beside the name of the run
 * @throws INVALID_INPUT
 */
export function refuseOfNewRuns(
  run: Pick<Run, 'slug' | 'standing' | 'status'>,
  { options, plan }: { options: RunOptions; plan: string | undefined },
): void {
  const words: string[] = Object.entries(ofNewRuns).flatMap(([key, word]) =>
    options[key as keyof typeof ofNewRuns] === undefined ? [] : [word],
  );
  if (plan !== undefined) words.push(`"${plan}"`);
  if (words.length === 0) return;
  const { budget } = options;
  const usd = (budget ?? 0) / 1_000_000;
  const rest = words.filter((word) => word !== '--budget');
  const leave = rest.length === 0 ? [] : [`Leave ${rest.join(', ')} out.`];
  const set = `Set the budget with \`baton budget ${usd} ${run.slug}\`, then carry the run on with \`${carryCommand(run)}\`.`;
  throw new BatonError(
    'INVALID_INPUT',
    `${words.join(', ')} cannot be given with --resume: ${run.slug} keeps what it began with.`,
    { at: run.slug, fix: [...(budget === undefined ? [] : [set]), ...leave].join(' ') },
  );
}
