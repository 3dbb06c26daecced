import { z } from 'zod';
import { keyName } from './task.ts';
import { argv, pathPrefix, repoPath, settledDuration, timeLimit } from './units.ts';

/** What a gate says about coverage, and how far it may fall (docs/spec/landing.md#coverage). */
export const coverageReport = z.strictObject({
  file: repoPath.describe('report that the command writes, e.g. coverage/lcov.info; it must not be tracked'),
  format: z
    .enum(['lcov', 'cobertura', 'istanbul-summary'])
    .describe('istanbul-summary: coverage-summary.json'),
  may_fall_by: z
    .number()
    .min(0)
    .max(100)
    .default(0)
    .describe('points of a hundred by which the share of covered lines may be less than on the target'),
});
export type CoverageReport = z.output<typeof coverageReport>;

/** A repo-level check on the tree that would land (docs/spec/landing.md#gates). */
export const gate = z.strictObject({
  name: keyName,
  command: argv,
  required: z.boolean().default(true).describe('false: reported, never stops a landing'),
  timeout: timeLimit.default(600_000).describe('whole run of the command; default 10m'),
  paths: z.array(pathPrefix).optional().describe('only when the change touches one of these'),
  may_write: z
    .boolean()
    .optional()
    .describe(
      'true: what it changes in tracked files is added to the work, and everything is judged again on that; else such a change is a "no"',
    ),
  red_green: z
    .boolean()
    .optional()
    .describe(
      'true: tests that a task adds or changes must make it red without the rest of their change; else they do not test it, and the work is refused',
    ),
  coverage: coverageReport
    .optional()
    .describe('a change after which less of the lines is covered than on the target is refused'),
  every_commit: z
    .boolean()
    .optional()
    .describe(
      'true: it passes on each commit that lands, so finished tasks are judged one by one; else on the last of those that land together',
    ),
});
export type Gate = z.output<typeof gate>;

/** Trees that a gate was asked about last, by which its steadiness is judged (docs/spec/landing.md#confirmed-reds). */
export const gateWindow = 20;

/** Of the last {@link gateWindow} trees: how many a gate may have refused and then passed before it counts as flaky. */
export const flakyAbove = z.number().int().min(0).max(gateWindow);
const usualFlakyAbove = 1;

const flakiness = z.object({ flaky_above: flakyAbove });

/** How many of its last trees a gate may have refused and then passed, by the plan or the settings as they were stored. */
export function flakyAboveOf(settings: unknown): number {
  return flakiness.safeParse(settings).data?.flaky_above ?? usualFlakyAbove;
}

/** A gate behind the edge: numbers are milliseconds, and parsing it again changes nothing. */
export const settledGate = gate.extend({ timeout: settledDuration.default(600_000) });

/** Verdicts, `allow_red` and reports know gates by name, so no two of one list may share it. */
function namesDiffer(list: readonly { name: string }[], context: z.RefinementCtx): void {
  list.forEach(({ name }, index) => {
    if (list.findIndex((other) => other.name === name) < index)
      context.addIssue({
        code: 'custom',
        path: [index, 'name'],
        message: `another gate is named "${name}" already; give each gate a name of its own`,
      });
  });
}

/** Gates of a plan or of `baton.yaml`, each with a name of its own. */
export const gates = z.array(gate).superRefine(namesDiffer);

/** Such a list behind the edge. */
export const settledGates = z.array(settledGate).superRefine(namesDiffer);

/** Whether a gate is flaky: more of its last trees than allowed were refused and then passed. Pure. Source: docs/spec/landing.md#flaky-gates. */
export function isFlaky({ flaked }: { flaked: number }, { above }: { above: number }): boolean {
  return flaked > above;
}
