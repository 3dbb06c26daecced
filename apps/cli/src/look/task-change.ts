import { existsSync } from 'node:fs';
import path from 'node:path';

import { BatonError, type Git } from '@baton/contracts';
import { candidateRefs, landedOnto, type CandidateRef } from '@baton/janitor';
import type { Approval, Attempt, Store, StoredVerdict, Task } from '@baton/task-store';

import { agentOf, type AgentName } from '../terminal/agent-text.ts';
import type { Call } from '../terminal/call.ts';
import type { Place } from '../project/project.ts';

/** Where the work of an attempt can be read. */
export interface Change {
  /** Folder of the repository that holds both commits. */
  repo: string;
  from: string;
  to: string;
  /** `landed`; `candidate`: as it would land; `finished`: as its agent left it; `saved`: of an agent that ended early. */
  kind: 'landed' | 'candidate' | 'finished' | 'saved';
  /** Ref of the user's repository that names it; null: none does. */
  ref: string | null;
}

/** An attempt with all that a person should know before they look at its work. */
export interface Looked {
  task: Task;
  /** Null: no attempt has begun. */
  attempt: Attempt | null;
  /** How many attempts there are. */
  attempts: number;
  agent: AgentName | null;
  /** The newest verdict on the attempt. */
  verdict: StoredVerdict | null;
  /** What waits for a person's word. */
  approval: Approval | null;
  /** Null: it left no work, or none that can be read here. */
  change: Change | null;
}

/** What is asked for. */
interface Asked {
  task: Task;
  /** Number of the attempt; the one that landed, waits or worked last when left out. */
  number?: number | undefined;
}

/**
 * Finds the work of a task's attempt: what landed, what would land, what was finished, or what was saved of it.
 * @param place.project null: there is no repository here, so that no work can be read
 * @throws NOT_FOUND for a number that no attempt has
 */
export async function lookAt(
  call: Pick<Call, 'env'>,
  { store, project }: { store: Store; project: Place | null },
  { task, number }: Asked,
): Promise<Looked> {
  const [attempts, verdicts, landings, approvals, sessions] = await Promise.all([
    store.tasks.attempts(task.id),
    store.tasks.verdicts(task.id),
    store.tasks.landings({ taskId: task.id }),
    store.approvals.list({ runId: task.runId, status: 'waiting' }),
    store.tasks.sessions({ runId: task.runId }),
  ]);
  const landing = landings.at(-1);
  const attempt = chosen(attempts, { task, number, landed: landing?.attemptId });
  const approval = approvals.find(({ attemptId }) => attemptId === attempt?.id) ?? null;
  const session = sessions.find(({ id }) => id === attempt?.sessionId);
  const candidate =
    approval === null || project === null
      ? undefined
      : (await candidateRefs({ git: project.git, repo: project.root })).find(
          ({ taskId }) => taskId === task.id,
        );
  const commit = landing?.attemptId === attempt?.id ? landing?.commit : undefined;
  return {
    task,
    attempt,
    attempts: attempts.length,
    agent: agentOf(attempt ?? undefined, session),
    verdict: verdicts.findLast(({ attemptId }) => attemptId === attempt?.id) ?? null,
    approval,
    change:
      attempt &&
      project &&
      (await changeOf(
        { git: project.git, places: placesOf(call, { project, attempt, task }) },
        { attempt, commit, candidate },
      )),
  };
}

function chosen(
  attempts: readonly Attempt[],
  { task, number, landed }: Asked & { landed: string | undefined },
): Attempt | null {
  if (number !== undefined) {
    const named = attempts.find((attempt) => attempt.number === number);
    if (named) return named;
    throw new BatonError('NOT_FOUND', `${task.key} has no attempt ${number}.`, {
      at: '--attempt',
      fix: attempts.length === 0 ? 'It has not started yet.' : `Give a number from 1 to ${attempts.length}.`,
    });
  }
  const worked = attempts.findLast(
    ({ startCommit, headCommit, salvageRef }) =>
      salvageRef !== null || (headCommit !== null && headCommit !== startCommit),
  );
  return attempts.find(({ id }) => id === landed) ?? worked ?? attempts.at(-1) ?? null;
}

/** Folders that may hold the commits: the user's repository, and the clones of workers on this machine. */
function placesOf(
  { env }: Pick<Call, 'env'>,
  { project, attempt, task }: { project: Place; attempt: Attempt; task: Task },
): string[] {
  const clones = [project.state.dir, path.join(env.home, 'worker')].map((dir) =>
    path.join(dir, 'repos', task.repoId, 'clone.git'),
  );
  const named = attempt.headPlace?.at === 'clone' ? [attempt.headPlace.path] : [];
  return [project.root, ...new Set([...named, ...clones])].filter((place) => existsSync(place));
}

type Where = { git: Git; places: readonly string[] };

async function changeOf(
  where: Where,
  {
    attempt,
    commit,
    candidate,
  }: { attempt: Attempt; commit: string | undefined; candidate: CandidateRef | undefined },
): Promise<Change | null> {
  const { startCommit, headCommit, baseCommit, salvageRef } = attempt;
  if (commit !== undefined) return pair(where, { from: null, to: commit, kind: 'landed', ref: null });
  if (candidate !== undefined) {
    const { commit: to, ref } = candidate;
    return pair(where, { from: null, to, kind: 'candidate', ref });
  }
  const start = startCommit ?? baseCommit;
  if (start === null) return null;
  if (headCommit !== null && headCommit !== start)
    return pair(where, { from: start, to: headCommit, kind: 'finished', ref: null });
  return salvageRef === null ? null : pair(where, { from: start, to: salvageRef, kind: 'saved', ref: null });
}

/** The first place that holds both commits. `from` null: what the other one lands on. */
async function pair(
  { git, places }: Where,
  wanted: Omit<Change, 'repo' | 'from'> & { from: string | null },
): Promise<Change | null> {
  for (const repo of places) {
    const commitOf = async (revision: string): Promise<string | null> => {
      const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
      const found = await git(args, { cwd: repo });
      return found.exitCode === 0 ? found.stdout.trim() : null;
    };
    const to = await commitOf(wanted.to);
    if (to === null) continue;
    const from = await commitOf(wanted.from ?? (await landedOnto({ git, repo, commit: to })));
    if (from !== null) return { ...wanted, repo, from, to };
  }
  return null;
}
