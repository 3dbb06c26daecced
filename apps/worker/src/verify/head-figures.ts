import type { Coverage, TestCount } from '@baton/janitor';
import { BatonError, type CheckResult, type Gate, type Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { RepoAccess } from '../context/repos.ts';
import type { WorkerContext } from '../context/context.ts';
import type { HeadFigures } from '../context/head-figures.ts';
import { judgeTree, type CandidateTree } from './judge-tree.ts';

const mostKept = 200;

/** A change, and what its gates came to. */
export interface Compared {
  run: Pick<LandingWork['run'], 'gates' | 'workspace'>;
  repo: RepoAccess;
  candidate: Pick<CandidateTree, 'tree' | 'onto' | 'changes'>;
  verdict: Pick<Verdict, 'results'>;
}

/** A figure of one gate, how it is read from its result, and what is known of it. */
export interface Wanted<Figure> {
  gate: Gate;
  known: HeadFigures<Figure>;
  read: (result: CheckResult) => Figure | undefined;
}

export const coverageOf = ({ coverage: known }: WorkerContext, gate: Gate): Wanted<Coverage> => ({
  ...{ gate, known },
  read: ({ coverage }) => coverage,
});
export const testCountOf = ({ testCounts: known }: WorkerContext, gate: Gate): Wanted<TestCount> => ({
  ...{ gate, known },
  read: ({ tests }) => tests,
});

/** Keeps what gates said of a base before any work: it is the head of what lands first. */
export async function keepOfBase(
  ctx: WorkerContext,
  { base, ...asked }: Omit<Compared, 'candidate'> & { base: string },
): Promise<void> {
  const compared = { ...asked, candidate: { tree: '', onto: base, changes: [] } };
  const candidate = { ...compared.candidate, tree: await headTree(ctx, compared) };
  const isAsked = (gate: Gate): boolean =>
    asked.verdict.results.some(({ kind, name }) => kind === 'gate' && name === gate.name);
  for (const gate of asked.run.gates.filter(isAsked)) {
    const [lines, tests] = [coverageOf(ctx, gate), testCountOf(ctx, gate)];
    keepFigure({ ...compared, candidate }, lines, figureOf(asked.verdict, lines));
    keepFigure({ ...compared, candidate }, tests, figureOf(asked.verdict, tests));
  }
}

/** The figure of a gate that is green in a verdict; null: it is not, or has none. */
export function figureOf<Figure>(
  { results }: Pick<Verdict, 'results'>,
  { gate, read }: Omit<Wanted<Figure>, 'known'>,
): Figure | null {
  const found = results.find(({ kind, name, passed }) => kind === 'gate' && name === gate.name && passed);
  return found === undefined ? null : (read(found) ?? null);
}

/** Keeps what was said of the candidate: it is the head of what lands next. */
export function keepFigure<Figure>(
  compared: Compared,
  { gate, known }: Wanted<Figure>,
  figure: Figure | null,
): void {
  const [oldest] = known.keys();
  if (known.size >= mostKept && oldest !== undefined) known.delete(oldest);
  known.set(keyOf(compared, { gate, tree: compared.candidate.tree }), figure);
}

/**
 * The figure of the head that a candidate was made on, from when its tree was judged as a candidate. Undefined: nothing is known of it.
 */
export async function knownOfHead<Figure>(
  ctx: WorkerContext,
  compared: Compared,
  { gate, known }: Wanted<Figure>,
): Promise<Figure | null | undefined> {
  return known.get(keyOf(compared, { gate, tree: await headTree(ctx, compared) }));
}

/**
 * The figure of the head that a candidate was made on. Where nothing is known of it, the gate is asked about the head once.
 * @throws INTERRUPTED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function figureOfHead<Figure>(
  ctx: WorkerContext,
  compared: Compared,
  wanted: Wanted<Figure>,
): Promise<Figure | null> {
  const known = await knownOfHead(ctx, compared, wanted);
  if (known !== undefined) return known;
  const { onto: commit } = compared.candidate;
  const head = { commit, tree: await headTree(ctx, compared), changes: [], onto: commit };
  const figure = await measure(ctx, { repo: compared.repo, head, wanted });
  keepFigure({ ...compared, candidate: head }, wanted, figure);
  return figure;
}

async function headTree(ctx: WorkerContext, { repo, candidate }: Compared): Promise<string> {
  const asked = ['rev-parse', `${candidate.onto}^{tree}`];
  return (await ctx.git(asked, { cwd: repo.clone.path })).stdout.trim();
}

/** A figure counts for the same tree, gate and set-up of the same repository. */
function keyOf({ run, repo }: Compared, { gate, tree }: { gate: Gate; tree: string }): string {
  return JSON.stringify([repo.clone.path, tree, gate, run.workspace]);
}

async function measure<Figure>(
  ctx: WorkerContext,
  { repo, head, wanted }: { repo: RepoAccess; head: CandidateTree; wanted: Wanted<Figure> },
): Promise<Figure | null> {
  try {
    const questions = { gates: [wanted.gate], signals: [], allowRed: [], isChange: false };
    const { verdict } = await judgeTree(ctx, { repo, start: head, questions });
    return figureOf(verdict, wanted);
  } catch (error) {
    if (BatonError.is(error, 'SETUP_FAILED') || BatonError.is(error, 'TREE_DISTURBED')) return null;
    throw error;
  }
}
