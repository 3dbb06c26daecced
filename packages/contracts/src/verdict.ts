import { z } from 'zod';

/** What one gate or signal said about one tree. */
export const checkResult = z.strictObject({
  name: z.string(),
  kind: z.enum(['gate', 'signal', 'builtin']),
  required: z.boolean(),
  passed: z.boolean(),
  reason: z.string(),
  /** Tail of the output, bounded and redacted. */
  output: z.string().optional(),
  /** Lines that the tests of a gate ran, and all lines, as its report says. */
  coverage: z.strictObject({ covered: z.number(), total: z.number() }).optional(),
  /** Tests that passed and that were skipped, as the output of a command that passed says; absent: it does not say. */
  tests: z
    .strictObject({ passed: z.number().int().nonnegative(), skipped: z.number().int().nonnegative() })
    .optional(),
  /** Of a gate: how often it was red on this tree and set-up, as far as that is known. A gate that passed after that is not steady. */
  reds: z.number().int().positive().optional(),
  durationMs: z.number().nonnegative(),
  cached: z.boolean(),
});
export type CheckResult = z.output<typeof checkResult>;

/** Whether exactly this tree may land. Fail-closed: an error, a time-out or a missing tool is a "no". */
export const verdict = z.strictObject({
  /** Git tree id that the verdict is bound to. */
  tree: z.string(),
  passed: z.boolean(),
  /** `builtin` when nothing but the built-in checks applied. */
  checks: z.enum(['builtin', 'signals', 'gates', 'signals+gates']),
  results: z.array(checkResult),
  /** One sentence for each reason of a "no"; goes into the next attempt's prompt. */
  reasons: z.array(z.string()),
  durationMs: z.number().nonnegative(),
});
export type Verdict = z.output<typeof verdict>;
