import { mayRunFewerTests, ranFewer, type TestRun } from '@baton/janitor';
import type { WorkerContext } from '../context/context.ts';
import {
  figureOf,
  figureOfHead,
  keepFigure,
  knownOfHead,
  testCountOf,
  type Compared,
} from '../verify/head-figures.ts';

/**
 * The gates that are green on a change and ran fewer tests than on its head, by what their runners print. Where the count of the head is not
 * known, a gate is asked about it once, if the change may have chosen what runs (docs/spec/landing.md#tests-that-ran).
 * @throws INTERRUPTED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function runsWithFewerTests(ctx: WorkerContext, compared: Compared): Promise<TestRun[]> {
  const isSuspect = mayRunFewerTests(compared.candidate.changes);
  const runs: TestRun[] = [];
  for (const gate of compared.run.gates) {
    const isGreen = figureOf(compared.verdict, { gate, read: () => true }) !== null;
    if (!isGreen) continue;
    const wanted = testCountOf(ctx, gate);
    const after = figureOf(compared.verdict, wanted);
    // Most gates never say a count: for one that says none now, the head is not asked.
    const countOfHead = isSuspect && after !== null ? figureOfHead : knownOfHead;
    const before = await countOfHead(ctx, compared, wanted);
    keepFigure(compared, wanted, after);
    if (before) runs.push({ gate: gate.name, before, after });
  }
  return runs.filter(ranFewer);
}
