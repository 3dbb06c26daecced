import { BatonError, completionSignal, inputIssues } from '@baton/contracts';
import { z } from 'zod';
import { requireFullIds } from './land/full-ids.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';
const port = z.custom(isFunction, { message: 'must be a function' });
const known = new Set<string>(completionSignal.options.map(({ shape }) => shape.type.value));
const texts = z.array(z.string());

/** What a verdict rests on. Whatever else is given has no say in it, or fails closed. */
const asked = z.object({
  exec: port,
  git: port,
  clock: z.object({ monotonicMs: port }),
  tree: z.string().min(1),
  changedPaths: texts.nullable(),
  gates: z.array(
    z.object({
      name: z.string().min(1),
      command: texts,
      required: z.boolean(),
      timeout: z.number().positive(),
      paths: texts.optional(),
    }),
  ),
  signals: z.array(
    z.object({ type: z.string().refine((type) => known.has(type), { message: 'is no signal' }) }),
  ),
  owned: z.object({ files: texts, strict: z.boolean() }).optional(),
  allowRed: texts,
  writers: texts.optional(),
  env: z.record(z.string(), z.string()),
  maxFileBytes: z.number().min(0).optional(),
});

/**
 * Refuses what callers ask that no type checker saw, before anything runs: a gate whose `required` is missing would not count, an
 * `allowRed` that is text would hold the names of many, and no file is above a limit of NaN.
 * @throws INVALID_INPUT naming every issue
 */
export function checkVerifyOptions(options: unknown): void {
  const result = asked.safeParse(options);
  if (!result.success) {
    const issues = inputIssues(result.error);
    const lines = issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new BatonError('INVALID_INPUT', `What is to be verified is not valid: ${lines.join('; ')}.`, {
      fix: 'Correct what is named; `VerifyOptions` of @baton/janitor says what each must be.',
      details: { issues },
      cause: result.error,
    });
  }
  const { baseCommit, candidateCommit } = options as Record<string, unknown>;
  requireFullIds({ baseCommit, candidateCommit });
}
