import { BatonError } from '@baton/contracts';
import type { TargetLoss } from '@baton/janitor';
import { carryCommand, type Run, type Store } from '@baton/task-store';

import type { Place } from '../project/project.ts';
import { allTasks } from '../project/with-store.ts';

/** Landed tasks that the target does not hold any more, and how to bring them back. */
export interface LandedLoss extends Pick<TargetLoss, 'kind' | 'head' | 'restore'> {
  tasks: { key: string; commit: string }[];
}

/**
 * Looks whether the target still holds everything that landed on it: somebody may have deleted it or moved it back since.
 * @returns null when it does, when the run is over and other branches hold it all, or when the repository is not here
 */
export async function landedLoss(
  { store, project }: { store: Store; project: Place | null },
  run: Run,
): Promise<LandedLoss | null> {
  const found = await look({ store, project }, run);
  if (found === null) return null;
  const { loss, landings } = found;
  const isOver = run.status === 'done' || run.status === 'cancelled';
  // Its branch was cleaned away after a merge: nothing needs it any more.
  if (isOver && loss.kind === 'deleted' && (await areTaken(project, loss.missing))) return null;
  const missing = new Set(loss.missing);
  const keys = new Map((await allTasks(store, run.id)).map((task) => [task.id, task.key]));
  const tasks = landings
    .filter(({ commit }) => missing.has(commit))
    .map(({ taskId, commit }) => ({ key: keys.get(taskId) ?? taskId, commit }));
  const { kind, head, restore } = loss;
  return { kind, head, restore, tasks };
}

/** What a branch lost that the one that is checked out does not hold either. */
export async function lostHere(
  { store, project }: { store: Store; project: Place },
  run: Run,
): Promise<LandedLoss | null> {
  const loss = await landedLoss({ store, project }, run);
  if (loss === null) return null;
  const tasks: LandedLoss['tasks'] = [];
  for (const task of loss.tasks) {
    const args = ['merge-base', '--is-ancestor', task.commit, 'HEAD'];
    if ((await project.git(args, { cwd: project.root })).exitCode !== 0) tasks.push(task);
  }
  return tasks.length === 0 ? null : { ...loss, tasks };
}

/** The error of a branch that is gone, with the command that shows or brings back what landed on it; any other error as it is. */
export async function withRestore(
  place: { store: Store; project: Place },
  { run, error }: { run: Run; error: unknown },
): Promise<unknown> {
  if (!BatonError.is(error, 'REF_INVALID')) return error;
  const loss = await landedLoss(place, run);
  if (loss === null && (await place.store.tasks.landings({ runId: run.id, newest: true })).length === 0)
    return new BatonError(
      'CONFLICT',
      `Nothing of ${run.slug} has landed yet, so there is no branch ${run.target}.`,
      {
        at: run.slug,
        fix: `See \`baton status ${run.slug}\`; carry it on with \`${carryCommand(run)}\`.`,
        cause: error,
      },
    );
  const fix =
    loss === null
      ? await landedAlready(place, { run, error })
      : `Bring back what landed: \`${loss.restore}\`.`;
  return new BatonError(error.code, error.message, { at: run.slug, fix, cause: error });
}

/** The branch was cleaned away and nothing is lost: each task still shows its own work. */
async function landedAlready(
  { store }: { store: Store },
  { run, error }: { run: Run; error: BatonError },
): Promise<string> {
  const [landing] = await store.tasks.landings({ runId: run.id });
  const task = (await allTasks(store, run.id)).find(({ id }) => id === landing?.taskId);
  return task === undefined
    ? (error.fix ?? '')
    : `See what landed task by task, such as \`baton diff ${run.slug}/${task.key}\`.`;
}

/** One sentence: which tasks, what became of the branch, and the command. */
export function lossLine({ kind, head, tasks, restore }: LandedLoss, target: string): string {
  const shown = tasks.slice(0, 5).map(({ key }) => key);
  const names = `${shown.join(', ')}${tasks.length > shown.length ? ` and ${tasks.length - shown.length} more` : ''}`;
  if (kind === 'replaced')
    return `${names} landed in another repository than the one that is here now. Put it back; Baton kept what landed, and makes a checkout of it beside this one with: \`${restore}\``;
  const what = kind === 'deleted' ? 'it was deleted' : `it was moved to ${head?.slice(0, 9) ?? '?'}`;
  return `${names} landed on ${target}, and ${tasks.length === 1 ? 'is' : 'are'} not there any more: ${what}. Bring back what landed: \`${restore}\``;
}

/**
 * Makes sure, before a run is carried on, that its target holds what landed on it.
 * @param options.restore put it back: only forward, and never over the commits of others
 * @throws TARGET_MOVED, REPO_CHANGED
 */
export async function requireTarget(
  { store, project }: { store: Store; project: Place },
  { run, restore }: { run: Run; restore: boolean },
): Promise<void> {
  const found = await look({ store, project }, run);
  if (found === null) return;
  const { loss, location, clone } = found;
  const { target, slug } = run;
  if (loss.kind === 'replaced') {
    throw new BatonError(
      'REPO_CHANGED',
      `${location} is another repository than the one that ${slug} began in: it has no commit of its history.`,
      {
        at: slug,
        fix: `Put the former repository back, or give the run up with \`baton cancel ${slug}\`. Baton kept what landed: \`${loss.restore}\` makes a checkout of it beside this one.`,
        details: { head: loss.head, missing: loss.missing },
      },
    );
  }
  if (restore) {
    const { restoreTarget } = await import('@baton/janitor');
    return restoreTarget({ git: project.git, repo: location, clone, target, loss });
  }
  const what = loss.head === null ? 'was deleted' : `was moved to ${loss.head.slice(0, 9)}`;
  const byBaton =
    loss.kind === 'elsewhere' ? '' : ` Or let Baton do it: \`baton run --resume ${slug} --restore-target\`.`;
  throw new BatonError(
    'TARGET_MOVED',
    `The target branch ${target} ${what}; it does not hold ${loss.last.slice(0, 9)}, which had landed on it.`,
    {
      at: slug,
      fix: `Bring it back with \`${loss.restore}\`.${byBaton}`,
      details: { head: loss.head, missing: loss.missing },
    },
  );
}

async function look({ store, project }: { store: Store; project: Place | null }, run: Run) {
  const repo = await store.runs.repo(run.repoId);
  if (project === null || repo === null || repo.location !== project.root) return null;
  const landings = await store.tasks.landings({ runId: run.id });
  const commits = landings.length > 0 ? landings.map(({ commit }) => commit) : pausedAtBase(run);
  if (commits.length === 0) return null;
  if (await areIn(project, [`refs/heads/${run.target}`], commits)) return null;
  // Loaded when needed: a view of a run that lost nothing does not wait for the code that lands.
  const [{ targetLoss }, { openClone }] = await Promise.all([
    import('@baton/janitor'),
    import('@baton/spawner'),
  ]);
  const { git, state } = project;
  const location = repo.location;
  const { path: clone } = await openClone({ git, stateDir: state.dir, repoId: repo.id, location });
  const loss = await targetLoss({ git, repo: location, clone, target: run.target, commits });
  return loss === null ? null : { loss, landings, location, clone };
}

const areTaken = async (project: Place | null, commits: readonly string[]): Promise<boolean> =>
  project !== null && areIn(project, ['HEAD', '--branches', '--remotes', '--tags'], commits);

/** Whether refs hold all commits, asked of one git process; no when git cannot say it. */
async function areIn(
  { git, root: cwd }: Place,
  refs: readonly string[],
  commits: readonly string[],
): Promise<boolean> {
  const args = ['rev-list', '--max-count=1', '--stdin', '--not', ...refs];
  const input = commits.map((commit) => `${commit}\n`).join('');
  const missing = await git(args, { cwd, stdin: input, finishes: true }).catch(() => null);
  return missing?.exitCode === 0 && missing.stdout === '';
}

/** Nothing had landed yet when a worker found the target gone: it is looked for at the base. */
const pausedAtBase = ({ status, statusReason, baseCommit }: Run): string[] =>
  status === 'paused' && /^(TARGET_MOVED|REPO_CHANGED): /.test(statusReason ?? '') && baseCommit !== null
    ? [baseCommit]
    : [];
