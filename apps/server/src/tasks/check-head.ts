import { hostname } from 'node:os';
import { BatonError, type Clock, type Log } from '@baton/contracts';
import {
  attemptRef,
  createExec,
  createGit,
  fetchHead,
  openClone,
  publishRefs,
  type Clone,
} from '@baton/spawner';
import type { Attempt, HeadPlace, Holding, Repo, Store } from '@baton/task-store';

/** What a worker that comes by HTTP says it has done. */
export interface ClaimedRange {
  sessionId: string;
  holding: Holding;
  startCommit: string;
  headCommit: string;
}

/** Looks at commits that were named over HTTP. */
export interface HeadCheck {
  /**
   * Fetches the head from the task's repository and sees that it is this attempt's own work. A repository on another host is
   * looked at by the worker there that lands it.
   *
   * @returns Where the head can be read. Null: the attempt has another holder, which the store will say.
   * @throws REF_INVALID, INVALID_INPUT, NOT_FOUND, GIT_FAILED
   */
  check(store: Store, range: ClaimedRange): Promise<HeadPlace | null>;
}

interface HeadCheckOptions {
  clock: Clock;
  log: Log;
  /** Folder for the server's own clones. */
  stateDir: string;
  /** The environment; git gets a part of it. */
  env: Readonly<Record<string, string | undefined>>;
}

/** Makes the check; clones are opened when they are first needed. */
export function createHeadCheck({ clock, log, stateDir, env }: HeadCheckOptions): HeadCheck {
  const git = createGit({ exec: createExec({ clock }), env });
  const clones = new Map<string, Promise<Clone>>();
  const cloneOf = (repo: Repo): Promise<Clone> => {
    const opening =
      clones.get(repo.id) ?? openClone({ git, stateDir, repoId: repo.id, location: repo.location });
    clones.set(repo.id, opening);
    opening.catch(() => clones.delete(repo.id));
    return opening;
  };
  return {
    async check(store, range) {
      const { attempt, repo } = await workOf(store, range);
      if (attempt.fence !== range.holding.fence || attempt.endedAt !== null) return null;
      const ref = attemptRef({ taskId: attempt.taskId, fence: attempt.fence });
      if (repo.host !== null && repo.host !== hostname()) return { at: 'repository', ref };
      await refuseOthers(store, { attempt, range });
      const clone = await cloneOf(repo);
      await bring(clone, { repo, ref, range });
      if (repo.host !== null) await keepLocally(clone, { repo, ref, range });
      else {
        const published = await publishRefs(clone, { location: repo.location, refs: [ref] });
        if (!published.ok)
          log.warn('the remote did not take the ref of an attempt', { ref, why: published.why });
      }
      return { at: 'repository', ref };
    },
  };
}

async function workOf(
  store: Store,
  { sessionId, holding }: ClaimedRange,
): Promise<{ attempt: Attempt; repo: Repo }> {
  const attempt = (await store.tasks.listAttempts({ sessionId })).find(({ id }) => id === holding.attemptId);
  const run = attempt && (await store.runs.get(attempt.runId));
  const repo = run && (await store.runs.repo(run.repoId));
  if (attempt && repo) return { attempt, repo };
  throw new BatonError('NOT_FOUND', `The session ${sessionId} has no attempt ${holding.attemptId}.`, {
    fix: 'Send sessionId and holding as tasks.claim answered them.',
  });
}

const page = 500;

/** Work that counts for another attempt already is not this one's. @throws INVALID_INPUT */
async function refuseOthers(
  store: Store,
  { attempt, range }: { attempt: Attempt; range: ClaimedRange },
): Promise<void> {
  if (range.headCommit === range.startCommit) return;
  for (let after: string | undefined; ;) {
    const more = after === undefined ? {} : { after };
    const attempts = await store.tasks.listAttempts({ runId: attempt.runId, limit: page, ...more });
    const other = attempts.find(({ id, headCommit }) => id !== attempt.id && headCommit === range.headCommit);
    if (other)
      throw new BatonError(
        'INVALID_INPUT',
        `The commit ${range.headCommit} is the work of attempt ${other.number} of task ${other.taskId}.`,
        { at: 'headCommit', fix: 'Name the commit that was made for this attempt.' },
      );
    after = attempts.at(-1)?.id;
    if (attempts.length < page) return;
  }
}

/** @throws REF_INVALID */
async function bring(
  clone: Clone,
  { repo, ref, range }: { repo: Repo; ref: string; range: ClaimedRange },
): Promise<void> {
  const { startCommit, headCommit } = range;
  try {
    await fetchHead(clone, { location: repo.location, head: { ref, commit: headCommit } });
  } catch (cause) {
    throw new BatonError('REF_INVALID', `The repository does not give the commit ${headCommit}.`, {
      at: 'headCommit',
      fix: `Push it there first, to a branch or with \`git push origin ${headCommit}:${ref}\`.`,
      cause,
    });
  }
  const start = await clone.fetchTarget(startCommit).catch(() => null);
  if (start !== null && (await clone.isAncestor(start, headCommit))) return;
  throw new BatonError('REF_INVALID', `The commit ${headCommit} does not descend from ${startCommit}.`, {
    at: 'startCommit',
    fix: 'Name the commit that the work began on, and build on it.',
  });
}

/** Nothing else may keep the commit in a local repository until it has landed. */
async function keepLocally(
  clone: Clone,
  { repo, ref, range }: { repo: Repo; ref: string; range: ClaimedRange },
): Promise<void> {
  const done = await clone.git(['update-ref', ref, range.headCommit], { cwd: repo.location });
  if (done.exitCode === 0) return;
  throw new BatonError('GIT_FAILED', `${repo.location} does not take the ref ${ref}: ${done.stderr.trim()}`, {
    fix: 'See that the server may write there.',
  });
}
