import { hasFallen, needsWorktree, shareText, type Coverage } from '@baton/janitor';
import type { CheckResult, Gate } from '@baton/contracts';
import type { WorkerContext } from '../context/context.ts';
import { coverageOf, figureOf, figureOfHead, keepFigure, type Compared } from '../verify/head-figures.ts';

/** Name of the check that coverage does not fall. */
export const coverageCheckName = 'coverage';

/**
 * Whether less of the lines is covered than on the head of the target, by more than a gate allows. The figure of a head is kept from when
 * its tree was judged as a candidate; else the gate is asked about it once. Null: no gate that is green on the work reports coverage.
 * @throws INTERRUPTED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function coverageCheck(ctx: WorkerContext, compared: Compared): Promise<CheckResult | null> {
  const changedPaths = compared.candidate.changes.map(({ path }) => path);
  const gates = compared.run.gates.filter(
    (gate) => gate.coverage !== undefined && needsWorktree({ gates: [gate], signals: [], changedPaths }),
  );
  const started = ctx.clock.monotonicMs();
  const found: { passed: boolean; text: string }[] = [];
  for (const gate of gates) {
    const after = figureOf(compared.verdict, coverageOf(ctx, gate));
    if (after !== null) found.push(await compare(ctx, compared, { gate, after }));
  }
  if (found.length === 0) return null;
  const fallen = found.filter(({ passed }) => !passed);
  return {
    name: coverageCheckName,
    kind: 'builtin',
    required: true,
    passed: fallen.length === 0,
    reason: (fallen.length > 0 ? fallen : found).map(({ text }) => text).join('; '),
    durationMs: ctx.clock.monotonicMs() - started,
    cached: false,
  };
}

async function compare(
  ctx: WorkerContext,
  compared: Compared,
  { gate, after }: { gate: Gate; after: Coverage },
): Promise<{ passed: boolean; text: string }> {
  const wanted = coverageOf(ctx, gate);
  const before = await figureOfHead(ctx, compared, wanted);
  keepFigure(compared, wanted, after);
  if (before === null)
    return { passed: true, text: `${gate.name} covers ${shareText(after)}; the target has no figure` };
  const allowed = gate.coverage?.may_fall_by ?? 0;
  const passed = !hasFallen({ before, after }, allowed);
  const both = `${shareText(after)}, on the target ${shareText(before)}`;
  return {
    passed,
    text: passed
      ? `${gate.name} covers ${both}`
      : `${gate.name} covers ${both}, which is more than ${allowed} points less`,
  };
}
