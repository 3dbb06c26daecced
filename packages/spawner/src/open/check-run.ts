import { effort, parseInput } from '@baton/contracts';
import { z } from 'zod';

const isFunction = (value: unknown): boolean => typeof value === 'function';
const method = z.custom(isFunction, { message: 'must be a function' });
const name = z.string().min(1);

const options = z.strictObject({
  repo: name,
  agent: z.union([name, z.looseObject({})]),
  prompt: z.string().refine((text) => text.trim() !== '', { message: 'must say something' }),
  from: name.optional(),
  branch: name.optional(),
  model: name.optional(),
  effort: effort.optional(),
  setup: z.looseObject({}).optional(),
  /** As long as a timer of Node can wait. */
  timeoutMs: z.number().positive().max(2_147_483_647).optional(),
  onEvent: method.optional(),
  permission: method.optional(),
  signal: z.instanceof(AbortSignal).optional(),
  env: z.record(z.string(), z.string().optional()).optional(),
  log: z.object({ info: method, warn: method, error: method }).optional(),
});

/**
 * What `runAgent` is asked, for callers that no type checker saw: a misspelt `timeoutMs` would be no limit, a misspelt `branch` another place
 * for the work, and what goes wrong after the agent began would leave its folder behind.
 * @throws INVALID_INPUT naming what is wrong, unknown keys included
 */
export function checkRun(given: unknown): void {
  parseInput(options, given, { what: 'How the agent is run' });
}
