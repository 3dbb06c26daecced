import { needsWorktree, testsAlone, writesTests } from '@baton/janitor';
import type { CheckResult } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import { judgeTree, type CandidateTree } from '../verify/judge-tree.ts';

/** Name of the check that tests of a task are red without its work. */
export const redGreenCheckName = 'red-green';
const mostNamed = 5;

/**
 * Whether gates that say `red_green` are red where only the tests of a change are on its head: else they show nothing of it. Null: no
 * gate asks for that, or the change has no tests of its own beside its work (docs/spec/landing.md#red-green).
 * @throws INTERRUPTED, WORKSPACE_FAILED, GIT_FAILED
 */
export async function redGreenCheck(
  ctx: WorkerContext,
  { work, repo, candidate }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree },
): Promise<CheckResult | null> {
  const { run, task } = work;
  const changedPaths = candidate.changes.map(({ path }) => path);
  const gates = run.gates.filter(
    (gate) => gate.red_green === true && needsWorktree({ gates: [gate], signals: [], changedPaths }),
  );
  if (gates.length === 0 || writesTests(task.role)) return null;
  const { onto, changes } = candidate;
  const alone = await testsAlone({ git: ctx.git, clone: repo.clone.path, onto, changes });
  if (alone === null) return null;
  const started = ctx.clock.monotonicMs();
  const questions = { gates, signals: [], allowRed: [], isChange: false };
  const { verdict } = await judgeTree(ctx, { repo, start: alone, questions });
  const red = verdict.results.filter(({ kind, passed }) => kind === 'gate' && !passed);
  const durationMs = ctx.clock.monotonicMs() - started;
  const passed = red.length > 0;
  return {
    ...{ name: redGreenCheckName, kind: 'builtin', required: true, passed, durationMs, cached: false },
    reason: passed
      ? `its tests are red without its work (${namesOf(red.map(({ name }) => name))})`
      : greenText(alone),
  };
}

function greenText({ changes }: { changes: CandidateTree['changes'] }): string {
  const names = changes.filter(({ status }) => status !== 'deleted').map(({ path }) => path);
  return `the tests that it adds or changes (${namesOf(names)}) pass without the rest of its change, so they do not test it`;
}

function namesOf(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
