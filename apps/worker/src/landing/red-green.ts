import { needsWorktree, testsAlone, writesTests } from '@baton/janitor';
import { BatonError, type CheckResult, type Gate, type Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import { judgeTree, type CandidateTree } from '../verify/judge-tree.ts';
import { shortList } from '../verify/short-list.ts';

/** Name of the check that tests of a task are red without its work. */
export const redGreenCheckName = 'red-green';

/**
 * Whether gates that say `red_green`, and are green on the work, are red where only the tests of its change are on its head: else these
 * show nothing of it. Null: no gate asks for that, the change has no tests of its own beside its work, or another process disturbed
 * the look (docs/spec/landing.md#red-green).
 * @throws INTERRUPTED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function redGreenCheck(
  ctx: WorkerContext,
  {
    work,
    repo,
    candidate,
    verdict,
  }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree; verdict: Verdict },
): Promise<CheckResult | null> {
  const { run, task } = work;
  const changedPaths = candidate.changes.map(({ path }) => path);
  const isGreen = ({ name }: Gate): boolean =>
    verdict.results.some((result) => result.kind === 'gate' && result.name === name && result.passed);
  const gates = run.gates.filter(
    (gate) =>
      gate.red_green === true && isGreen(gate) && needsWorktree({ gates: [gate], signals: [], changedPaths }),
  );
  if (gates.length === 0 || writesTests(task.role)) return null;
  const { onto, changes } = candidate;
  const alone = await testsAlone({ git: ctx.git, clone: repo.clone.path, onto, changes });
  if (alone === null) return null;
  const started = ctx.clock.monotonicMs();
  const look = await lookAt(ctx, { repo, alone, gates });
  if (look === null) return null;
  const durationMs = ctx.clock.monotonicMs() - started;
  const reason =
    look.length > 0 ? `its tests are red without its work (${shortList(look)})` : greenText(alone);
  const result = { name: redGreenCheckName, kind: 'builtin', required: true, cached: false } as const;
  return { ...result, passed: look.length > 0, durationMs, reason };
}

/** What is red on the tests alone: names of gates, or the set-up, which some of the work is needed for. Null: it cannot be said. */
async function lookAt(
  ctx: WorkerContext,
  { repo, alone, gates }: { repo: RepoAccess; alone: CandidateTree; gates: readonly Gate[] },
): Promise<string[] | null> {
  try {
    const questions = { gates, signals: [], allowRed: [], isChange: false };
    const { verdict } = await judgeTree(ctx, { repo, start: alone, questions });
    return verdict.results.filter(({ kind, passed }) => kind === 'gate' && !passed).map(({ name }) => name);
  } catch (error) {
    if (BatonError.is(error, 'SETUP_FAILED')) return ['set-up'];
    if (BatonError.is(error, 'TREE_DISTURBED')) return null;
    throw error;
  }
}

function greenText({ changes }: { changes: CandidateTree['changes'] }): string {
  const names = changes.filter(({ status }) => status !== 'deleted').map(({ path }) => path);
  return `the tests that it adds or changes (${shortList(names)}) pass without the rest of its change, so they do not test it`;
}
