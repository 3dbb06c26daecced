import { hasFallen, needsWorktree, shareText, type Coverage } from '@baton/janitor';
import { BatonError, type CheckResult, type Gate, type Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import { judgeTree, type CandidateTree } from '../verify/judge-tree.ts';

/** Name of the check that coverage does not fall. */
export const coverageCheckName = 'coverage';

const mostKept = 200;

/** What a change is compared with. */
interface Compared {
  work: Pick<LandingWork, 'run'>;
  repo: RepoAccess;
  candidate: CandidateTree;
  verdict: Verdict;
}

/**
 * Whether less of the lines is covered than on the head of the target, by more than a gate allows. The figure of a head is kept from when
 * its tree was judged as a candidate; else the gate is asked about it once. Null: no gate that is green on the work reports coverage.
 * @throws INTERRUPTED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function coverageCheck(ctx: WorkerContext, compared: Compared): Promise<CheckResult | null> {
  const { run } = compared.work;
  const changedPaths = compared.candidate.changes.map(({ path }) => path);
  const gates = run.gates.filter(
    (gate) => gate.coverage !== undefined && needsWorktree({ gates: [gate], signals: [], changedPaths }),
  );
  const started = ctx.clock.monotonicMs();
  const found: { passed: boolean; text: string }[] = [];
  for (const gate of gates) {
    const after = figureOf(compared.verdict, gate);
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

const figureOf = ({ results }: Pick<Verdict, 'results'>, { name }: Gate): Coverage | null =>
  results.find((result) => result.kind === 'gate' && result.name === name && result.passed)?.coverage ?? null;

async function compare(
  ctx: WorkerContext,
  compared: Compared,
  { gate, after }: { gate: Gate; after: Coverage },
): Promise<{ passed: boolean; text: string }> {
  const { candidate } = compared;
  const before = await figureOfHead(ctx, compared, gate);
  keep(ctx, keyOf(compared, { gate, tree: candidate.tree }), after);
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

/** A figure counts for the same tree, gate and set-up of the same repository. */
function keyOf({ work, repo }: Compared, { gate, tree }: { gate: Gate; tree: string }): string {
  return JSON.stringify([repo.clone.path, tree, gate, work.run.workspace]);
}

function keep(ctx: WorkerContext, key: string, figure: Coverage | null): void {
  const [oldest] = ctx.coverage.keys();
  if (ctx.coverage.size >= mostKept && oldest !== undefined) ctx.coverage.delete(oldest);
  ctx.coverage.set(key, figure);
}

/** Null: the gate is red there, or writes no report that can be read. */
async function figureOfHead(ctx: WorkerContext, compared: Compared, gate: Gate): Promise<Coverage | null> {
  const { repo, candidate } = compared;
  const commit = candidate.onto;
  const tree = (await ctx.git(['rev-parse', `${commit}^{tree}`], { cwd: repo.clone.path })).stdout.trim();
  const key = keyOf(compared, { gate, tree });
  const known = ctx.coverage.get(key);
  if (known !== undefined) return known;
  const figure = await measure(ctx, { repo, gate, head: { commit, tree, changes: [], onto: commit } });
  keep(ctx, key, figure);
  return figure;
}

async function measure(
  ctx: WorkerContext,
  { repo, gate, head }: { repo: RepoAccess; gate: Gate; head: CandidateTree },
): Promise<Coverage | null> {
  try {
    const questions = { gates: [gate], signals: [], allowRed: [], isChange: false };
    const { verdict } = await judgeTree(ctx, { repo, start: head, questions });
    return figureOf(verdict, gate);
  } catch (error) {
    if (BatonError.is(error, 'SETUP_FAILED') || BatonError.is(error, 'TREE_DISTURBED')) return null;
    throw error;
  }
}
