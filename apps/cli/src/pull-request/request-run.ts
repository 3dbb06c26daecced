import { BatonError, requestsInto } from '@baton/contracts';
import { detachedBy, useText } from '@baton/janitor';
import type { Store } from '@baton/task-store';

import { flaggedLines } from '../look/flagged.ts';
import type { Project } from '../project/project.ts';
import type { RunSnapshot } from '../run/progress-lines.ts';
import { runResult } from '../run/summary.ts';
import type { Call } from '../terminal/call.ts';
import { exitCodes } from '../terminal/render-error.ts';
import { openRequest, type Requested } from './open-request.ts';
import { requestText } from './request-text.ts';

/** A run whose work is to be taken somewhere. */
export interface RunWork {
  project: Project;
  snapshot: RunSnapshot;
  dryRun: boolean;
  store: Store;
}

/**
 * Opens one pull request with all that a run landed, from its branch into the one that is checked out.
 * @returns the exit code
 * @throws CONFLICT, TARGET_IN_USE, GIT_FAILED
 */
export async function requestRun(call: Call, { project, snapshot, dryRun, store }: RunWork): Promise<number> {
  const { run, tasks, commits, flagged = new Map() } = snapshot;
  if (requestsInto(run.plan) !== null)
    throw new BatonError('CONFLICT', `Each task of ${run.slug} is a pull request of its own.`, {
      fix: `See them with \`baton pr ${run.slug}\`.`,
    });
  if (project.branch === null) throw await detached(project);
  if (project.branch === run.target)
    throw new BatonError('CONFLICT', `${run.target} is checked out, and it cannot go into itself.`, {
      fix: 'Check out the branch to merge into: `git switch BRANCH`.',
    });
  if (commits.size === 0)
    throw new BatonError('CONFLICT', `Nothing of ${run.slug} has landed yet.`, {
      fix: `See \`baton status ${run.slug}\`.`,
    });
  const sessions = await store.tasks.sessions({ runId: run.id });
  const text = requestText(run, runResult({ ...snapshot, sessions }, { durationMs: 0 }));
  const wanted = { head: run.target, base: project.branch, text, slug: run.slug, dryRun };
  const requested = await openRequest(call, project, wanted);
  const value = { runId: run.id, target: run.target, into: project.branch, ...requested };
  call.out.result({ ...value, weakened: weakenedIn(snapshot) }, (colors) =>
    [requestedText(requested, wanted), ...flaggedLines(flagged, { run, tasks, colors })].join('\n'),
  );
  return requested.kind === 'manual' ? exitCodes.unfinished : exitCodes.ok;
}

function requestedText(
  { kind, noun, url, why, commands }: Requested,
  { head, base }: { head: string; base: string },
): string {
  const lines = commands.map((line) => `  ${line}`);
  switch (kind) {
    case 'opened':
      return `Opened a ${noun} of ${head} into ${base}: ${url ?? 'its address is not known'}.`;
    case 'exists':
      return `There is a ${noun} of ${head}, and it has the commits now: ${url ?? 'its address is not known'}.`;
    case 'manual':
      return [`${why ?? ''}. This pushes the work and opens the ${noun}:`, ...lines].join('\n');
    case 'would_open':
      return [`Would push ${head} and open a ${noun} into ${base}:`, ...lines].join('\n');
  }
}

/** What landed and weakens what judges it. */
export function weakenedIn({ tasks, flagged }: RunSnapshot): { key: string; texts: readonly string[] }[] {
  return tasks.flatMap(({ id, key }) => {
    const texts = flagged?.get(id);
    return texts === undefined ? [] : [{ key, texts }];
  });
}

/** The error of a checkout without a branch, with the way back to one. */
export async function detached({ git, root }: Project): Promise<BatonError> {
  const use = await detachedBy(git, { repo: root });
  if (use === null)
    return new BatonError('CONFLICT', 'No branch is checked out: HEAD is detached.', {
      fix: 'Check a branch out first: `git switch BRANCH`.',
    });
  const { what, fix } = useText(use.branch, use);
  return new BatonError('TARGET_IN_USE', what, { at: root, fix });
}
