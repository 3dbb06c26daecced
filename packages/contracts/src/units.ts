import { z } from 'zod';

const spaceUnits = { MB: 1e6, GB: 1e9, TB: 1e12 } as const;
const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** A century: beyond it dates cannot be reckoned with. */
const longestMs = 100 * 365 * 24 * 3_600_000;
/** What a timer of Node and an integer of Postgres hold. */
const longestTimerMs = 2 ** 31 - 1;

const durationText = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h)$/, 'use seconds or text such as "90s", "10m", "2h"');

/** A duration in files: seconds as a number, or text such as "500ms", "90s", "10m", "2h". Parsed to milliseconds. */
export const duration = z
  .union([z.number().positive().describe('seconds'), durationText])
  .transform((value) => (typeof value === 'number' ? Math.round(value * 1000) : textMs(value)))
  .refine((ms) => ms > 0, { message: 'must be longer than nothing' })
  .refine((ms) => ms <= longestMs, { message: 'must not be longer than a century' });

/** How long something may take: a {@link duration} that a timer can wait for. */
export const timeLimit = duration.refine((ms) => ms <= longestTimerMs, {
  message: 'must not be longer than 596h, which is 24 days',
});
/** {@link timeLimit} in milliseconds. */
export const timeLimitMs = z.number().int().positive().max(longestTimerMs);

/**
 * A duration behind the edge: a number is milliseconds already, text is as in files. Parsing it again changes nothing,
 * as drafts need that pass several edges.
 */
export const settledDuration = z.union([
  timeLimitMs.describe('milliseconds'),
  durationText.transform(textMs).pipe(timeLimitMs),
]);

/** How long something is kept, in files: text such as "12h" or "90d". Parsed to milliseconds. */
export const age = z
  .string()
  .regex(/^\d{1,6}(h|d)$/, 'use text such as "12h" or "90d", of six digits at most')
  .transform((text) => Number(text.slice(0, -1)) * (text.endsWith('d') ? 24 : 1) * 3_600_000);

/** An amount of disk space in files: text such as "500MB" or "20GB". Parsed to bytes. */
export const diskSpace = z
  .string()
  .regex(/^\d{1,6}(MB|GB|TB)$/, 'use text such as "500MB" or "20GB", of six digits at most')
  .transform((text) => Number(text.slice(0, -2)) * spaceUnits[text.slice(-2) as keyof typeof spaceUnits]);

/** US dollars in files (at most 6 decimals), parsed to integer micro-dollars. */
export const usd = z
  .number()
  .nonnegative()
  .max(1_000_000)
  .refine((value) => Math.round(value * 1_000_000) / 1_000_000 === value, {
    message: 'must have at most 6 digits after the point, such as 0.50: the unit is a millionth of a dollar',
  })
  .transform((value) => Math.round(value * 1_000_000));

const usdPerMillion = z.number().nonnegative().max(100_000);

/** What models cost, by id, with or without "provider/". */
export const prices = z.record(
  z.string().min(1).max(200),
  z.strictObject({
    input: usdPerMillion.describe('US dollars per million input tokens'),
    output: usdPerMillion.describe('US dollars per million output tokens'),
    cache_read: usdPerMillion.optional().describe('per million tokens read from a cache; default: input'),
    cache_write: usdPerMillion.optional().describe('per million tokens written to a cache; default: input'),
    context: z.number().int().positive().optional().describe('size of the context window in tokens'),
  }),
);

/** Integer micro-dollars: the only form in which money is kept or added up. */
export const microUsd = z.number().int().nonnegative();

/** A program and its arguments; never a shell line. */
export const argv = z
  .array(z.string().min(1))
  .min(1)
  .describe('program and arguments, one string each; no shell is involved');

/** A path relative to the repository, with forward slashes, that does not lead outside it. */
export const repoPath = z
  .string()
  .min(1)
  .refine(
    (path) =>
      !path.startsWith('/') && !/^[A-Za-z]:/.test(path) && !path.includes('\\') && !path.includes('\0'),
    {
      message: 'must be relative to the repository, with forward slashes',
    },
  )
  .refine((path) => !path.split('/').includes('..'), { message: 'must not lead outside the repository' });

/** Path inside the repository or a prefix of paths; "." means the whole repository. Patterns are refused: they would match nothing. */
export const pathPrefix = repoPath.refine((path) => !/[*?]/.test(path), {
  message: 'must be a path or the beginning of paths, not a pattern: write src/ for src/**',
});

function textMs(text: string): number {
  const [, amount = '0', unit = 's'] = /^([\d.]+)(ms|s|m|h)$/.exec(text) ?? [];
  return Math.round(Number(amount) * unitMs[unit as keyof typeof unitMs]);
}
