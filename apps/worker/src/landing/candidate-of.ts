import { buildCandidate, patchIdOf, rewordCandidate } from '@baton/janitor';
import { historyOf, type CheckResult, type History, type Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import type { RepoAccess } from '../context/repos.ts';
import { agentSubjects, commitText } from '../task/commit-text.ts';
import type { CandidateTree } from '../verify/judge-tree.ts';

/** Work merged onto a head, or the files in which it conflicts. */
export type Made = { kind: 'conflict'; files: string[] } | { kind: 'clean'; candidate: CandidateTree };

/** What a task did, merged onto a head. @throws GIT_FAILED */
export async function candidateOn(
  ctx: WorkerContext,
  { work, repo, onto }: { work: LandingWork; repo: RepoAccess; onto: string },
): Promise<Made> {
  const { attempt } = work;
  const made = await buildCandidate({
    git: ctx.git,
    clone: repo.clone.path,
    targetHead: onto,
    startCommit: attempt.startCommit ?? onto,
    headCommit: attempt.headCommit ?? onto,
    ...commitText(work, { subjects: [], verdict: null }),
    ...historyFor(work.run),
    attributesFile: repo.clone.attributesFile,
    at: ctx.clock.now(),
  });
  if (made.kind === 'conflict') return made;
  const { commit, tree, changes } = made;
  const { kept = null, why = null } = made.kind === 'clean' ? made : {};
  return {
    kind: 'clean',
    candidate: { commit, tree, changes, onto, kept, asOne: why ?? commitByCommit(work.run) },
  };
}

/** What lands of the commits of a run's agents: those in between have passed no gate, so none where a gate asks for that. */
function historyFor(run: LandingWork['run']): { history: History } {
  return { history: commitByCommit(run) === null ? historyOf(run.plan) : 'squash' };
}

function commitByCommit({ plan, gates }: LandingWork['run']): string | null {
  const asking = gates.find((gate) => gate.every_commit === true);
  if (asking === undefined || historyOf(plan) !== 'linear') return null;
  return `gate ${asking.name} passes on every commit that lands`;
}

/** The candidate as it lands: its text says what it passed. */
export async function withEvidence(
  ctx: WorkerContext,
  {
    work,
    repo,
    candidate,
    verdict,
  }: { work: LandingWork; repo: RepoAccess; candidate: CandidateTree; verdict: Verdict },
): Promise<CandidateTree> {
  if (candidate.commit === candidate.onto) return candidate; // nothing lands
  const { merged = null, earlier = [] } = candidate.kept ?? {};
  // Where the agent's own commits land as well, they have their subjects, and the task has its title.
  const hasOwn = merged !== null || earlier.length > 0;
  const subjects = hasOwn ? [] : await agentSubjects(ctx, { clone: repo.clone.path, attempt: work.attempt });
  const commit = await rewordCandidate({
    ...{ git: ctx.git, clone: repo.clone.path, tree: candidate.tree, onto: candidate.onto },
    kept: candidate.kept,
    ...commitText(work, { subjects, verdict }),
    at: ctx.clock.now(),
  });
  return { ...candidate, commit };
}

/** The change that a "yes" is about. */
export async function patchOf(
  ctx: WorkerContext,
  { repo, candidate }: { repo: RepoAccess; candidate: CandidateTree },
): Promise<string> {
  return patchIdOf({ git: ctx.git, clone: repo.clone.path, from: candidate.onto, to: candidate.commit });
}

/** Name of the recorded note on why work lands as one commit although its run keeps those of agents. */
const historyCheckName = 'history';

/** That note; null: nothing to say. */
export function historyNote({ asOne = null }: CandidateTree): CheckResult | null {
  if (asOne === null) return null;
  return {
    ...{
      name: historyCheckName,
      kind: 'builtin',
      required: false,
      passed: true,
      durationMs: 0,
      cached: false,
    },
    reason: `lands as one commit: ${asOne}`,
  };
}
