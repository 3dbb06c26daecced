import { BatonError, inputIssues } from '@baton/contracts';
import { z } from 'zod';

/** A time span in milliseconds. NaN is none: every comparison with it is false, so that nothing would ever be too old. */
const span = z.custom<number>((value) => typeof value === 'number' && value >= 0, {
  message: 'must be a number of milliseconds, 0 or more',
});

/** How a request is checked; secrets have a check of their own, which shows none. */
export const webhookOptions = z.strictObject({
  secrets: z.array(z.unknown()),
  now: z.date(),
  source: z.string().min(1).optional(),
  toleranceMs: span.optional(),
});

/** A request as it came in. */
export const webhookRequest = z.object({
  headers: z.custom<object>((value) => typeof value === 'object' && value !== null, {
    message: 'must be an object',
  }),
  body: z.union([z.string(), z.instanceof(Uint8Array)]),
});

/** What ticks are asked for. */
export const tickOptions = z.strictObject({
  schedule: z.object({
    cron: z.string(),
    timezone: z.string(),
    misfire: z.enum(['skip', 'once', 'all']).optional(),
  }),
  after: z.date(),
  now: z.date(),
  graceMs: span.optional(),
  max: z.number().int().min(1).optional(),
});

/** A moment. */
export const instant = z.date();

const count = z.number().int().min(0);

/** What rules did before. The server keeps more beside it. */
export const triggerState = z.object({
  now: z.date(),
  rules: z.record(z.string(), z.object({ openTasks: count, startsAt: z.array(z.date()) })),
});

/**
 * Refuses what callers give that no type checker saw, before anything is decided on it: a condition that compares with what is no number
 * would hold back nothing. The value is used as it was given.
 * @throws INVALID_INPUT naming every issue
 */
export function check(schema: z.ZodType, value: unknown, what: string): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  const issues = inputIssues(result.error);
  const lines = issues.map(
    ({ path, message }) => `${path.join('.')}${path.length > 0 ? ': ' : ''}${message}`,
  );
  throw new BatonError('INVALID_INPUT', `${what} is not valid: ${lines.join('; ')}.`, {
    fix: 'Correct what is named; the types of @baton/triggers say what each must be.',
    details: { issues },
    cause: result.error,
  });
}
