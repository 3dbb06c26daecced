import { parseInput } from '@baton/contracts';
import path from 'node:path';
import { z } from 'zod';
import { isPlugin } from './plugin.ts';

const has =
  (...names: string[]) =>
  (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');

/** What a timer holds, six times: one that is given more fires at once. */
const longestMs = 5 * 60_000;
const limit = z.number().positive().max(longestMs).optional();
const folder = z.string().refine((text) => path.isAbsolute(text), 'must be an absolute path');
const entry = z.object({ plugin: z.custom(isPlugin, 'must be a plugin that definePlugin made') });

const busOptions = z.strictObject({
  plugins: z.array(entry),
  log: z.custom(has('info', 'warn', 'error'), 'must be a log: { info, warn, error }'),
  clock: z.custom(has('now', 'monotonicMs'), 'must be a clock: { now, monotonicMs }'),
  directory: folder,
  deadlineMs: limit,
});

const loadOptions = z.strictObject({
  entries: z.array(z.object({ name: z.string().min(1) })),
  resolveFrom: folder,
  loadingMs: limit,
});

/** What a bus is made of, from callers that no type checker saw. @throws INVALID_INPUT naming what is wrong, unknown keys included */
export function checkBusOptions(given: unknown): void {
  parseInput(busOptions, given, { what: 'What the bus is made of' });
}

/** What is to be loaded, from callers that no type checker saw. @throws INVALID_INPUT as above */
export function checkLoadOptions(given: unknown): void {
  parseInput(loadOptions, given, { what: 'What is to be loaded' });
}
