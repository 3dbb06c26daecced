import { BatonError, parseInput } from '@baton/contracts';
import { z } from 'zod';

const isFunction = (value: unknown): boolean => typeof value === 'function';
const has = (name: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && isFunction((value as Record<string, unknown>)[name]);

/** What Postgres and timers take, in ms. */
const longest = 2 ** 31 - 1;

const options = z.strictObject({
  url: z.unknown(),
  clock: z.custom(has('now'), 'must be a clock: { now, monotonicMs }').optional(),
  ids: z.custom(has('uuid'), 'must make ids: { uuid }').optional(),
  random: z.custom(isFunction, 'must be a function').optional(),
  poolSize: z.number().int().positive().optional(),
  silenceMs: z.number().positive().optional(),
  askMs: z.number().positive().max(longest).optional(),
  lockMs: z.number().positive().max(longest).optional(),
  idleMs: z.number().positive().max(longest).optional(),
  answerAfterLogged: z.boolean().optional(),
});

/** How a store is opened, for callers that no type checker saw. @throws INVALID_INPUT naming what is wrong, unknown keys included */
export function checkOptions(given: unknown): void {
  checkUrl(parseInput(options, given, { what: 'How the store is opened' }).url);
}

/**
 * Without an address pg would take that of the environment, or of this machine: another database than was meant. It may hold a password, so
 * it is not repeated.
 * @throws INVALID_INPUT
 */
export function checkUrl(url: unknown): void {
  if (typeof url === 'string' && /^(postgres(ql)?:\/\/.|socket:|\/)/.test(url)) return;
  const what = typeof url === 'string' && url !== '' ? 'is none of PostgreSQL' : 'is missing';
  throw new BatonError('INVALID_INPUT', `The address of the database (\`url\`) ${what}.`, {
    at: 'url',
    fix: 'Give it as postgresql://user:password@host:5432/database.',
  });
}
