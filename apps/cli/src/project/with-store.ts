import { BatonError, shellWord } from '@baton/contracts';
import type { Page, Run, RunStatus, Store, Task } from '@baton/task-store';
import { projectState } from '@baton/worker/state';

import type { Call } from '../terminal/call.ts';
import type { StoreAccess } from './open-store.ts';
import type { Place, Project } from './project.ts';

/** Option of every command that looks at a project. */
export interface RepoOption {
  repo?: string;
}

/** What a command works on: the store, and the repository unless there is none (only with DATABASE_URL). */
export interface Stored<P extends Place = Place> {
  store: Store;
  project: P | null;
  /** The store is that of the repository; else others share it. */
  ownStore: boolean;
}

/** What {@link withStore} and {@link withProject} may be asked. */
interface StoreOptions<T> extends RepoOption {
  /** Answer when nothing was ever stored. */
  whenEmpty?: () => T;
  /** Makes an empty store then; with neither it is NOT_FOUND. */
  create?: boolean;
}

/** Whether each repository has a store of its own. */
export const ownsStore = ({ env }: Pick<Call, 'env'>): boolean => env.databaseUrl === undefined;

/** Opens the project's store for the time of one command, and gives the embedded server up again. */
export async function withStore<T>(
  call: Call,
  options: StoreOptions<T>,
  work: (stored: Stored, access: StoreAccess) => Promise<T>,
): Promise<T> {
  const { openPlace } = await import('./project.ts');
  const project = await ifAny(call, options, () => openPlace(call, options));
  return onStore(call, options, { project, work });
}

/** The same for commands that need the repository as it is now: its branch, its head and what is changed. */
export async function withProject<T>(
  call: Call,
  options: StoreOptions<T>,
  work: (stored: Stored<Project>, access: StoreAccess) => Promise<T>,
): Promise<T> {
  const { openProject } = await import('./project.ts');
  const project = await ifAny(call, options, () => openProject(call, options));
  return onStore(call, options, { project, work });
}

async function onStore<T, P extends Place>(
  call: Call,
  options: StoreOptions<T>,
  { project, work }: { project: P | null; work: (stored: Stored<P>, access: StoreAccess) => Promise<T> },
): Promise<T> {
  // Loaded when needed: `baton plan check` should not wait for the database client.
  const { hasStore, openProjectStore } = await import('./open-store.ts');
  if (!options.create && !(await hasStore(call, project))) {
    if (options.whenEmpty) return options.whenEmpty();
    throw (await elsewhere(call, project)) ?? nothingYet(await wayBackFrom(call, project));
  }
  await using access = await openProjectStore(call, project);
  return await work({ store: access.store, project, ownStore: ownsStore(call) }, access);
}

/**
 * A run by id or slug, or the newest of this repository; for one that does not exist, says which was probably meant.
 *
 * @throws NOT_FOUND, AMBIGUOUS
 */
export async function pickRun(
  { store, project }: Pick<Stored, 'store' | 'project'>,
  reference: string | undefined,
): Promise<Run> {
  if (reference !== undefined)
    return store.runs.find(reference).catch(async (error: unknown) => {
      if (!BatonError.is(error, 'NOT_FOUND')) throw error;
      const { noSuchRun } = await import('./meant.ts');
      throw await noSuchRun({ store, project }, { reference, error });
    });
  const [newest] = await runsOfProject({ store, project }, { limit: 1 });
  if (!newest) throw nothingYet(null);
  return newest;
}

/** Runs of this repository, newest first; of all repositories when there is none here. */
export async function runsOfProject(
  { store, project }: Pick<Stored, 'store' | 'project'>,
  filter: { status?: RunStatus[]; limit: number },
): Promise<Run[]> {
  const found: Run[] = [];
  const known = new Map<string, boolean>();
  const isHere = async ({ repoId }: Run): Promise<boolean> => {
    if (!project) return true;
    const isKnown = known.get(repoId) ?? (await store.runs.repo(repoId))?.location === project.root;
    known.set(repoId, isKnown);
    return isKnown;
  };
  let cursor: string | null = null;
  do {
    const page: Page<Run> = await store.runs.list({
      ...(filter.status ? { status: filter.status } : {}),
      ...(cursor === null ? {} : { cursor }),
      limit: 100,
    });
    for (const run of page.items) {
      if (await isHere(run)) found.push(run);
      if (found.length === filter.limit) return found;
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

/** All tasks of a run, in the order of its plan. */
export async function allTasks(store: Store, runId: string): Promise<Task[]> {
  const tasks: Task[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Task> = await store.tasks.list({
      runId,
      limit: 200,
      ...(cursor === null ? {} : { cursor }),
    });
    tasks.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return tasks;
}

/** Who decides, as it is recorded. */
export function operator({ env }: Call, reason: string): { actor: string; reason: string } {
  return { actor: `operator:${env.user}`, reason };
}

async function ifAny<P>(call: Call, options: RepoOption, open: () => Promise<P>): Promise<P | null> {
  try {
    return await open();
  } catch (error) {
    if (call.env.databaseUrl !== undefined && options.repo === undefined && BatonError.is(error)) return null;
    throw error;
  }
}

function nothingYet(back: string | null): BatonError {
  const start = 'Start with `baton run plan.yaml`, or `baton init` for an example plan.';
  return new BatonError('NOT_FOUND', 'Nothing has run in this repository yet.', {
    fix: back === null ? start : `${start} ${back}`,
  });
}

async function wayBackFrom({ env }: Call, project: Place | null): Promise<string | null> {
  if (project === null) return null;
  const { wayBack } = await import('./moved-from.ts');
  return wayBack(env.home, project);
}

/** Runs are kept with the worktree that they were started in: where another one of the repository has some, it is named. */
async function elsewhere({ env }: Call, project: Place | null): Promise<BatonError | null> {
  if (project === null) return null;
  const { hasStore } = await import('./open-store.ts');
  const listed = await project.git(['worktree', 'list', '--porcelain', '-z'], { cwd: project.root });
  const roots = listed.stdout.split('\0').flatMap((line) => /^worktree (.+)$/s.exec(line)?.[1] ?? []);
  let other: string | undefined;
  for (const root of roots.filter((one) => one !== project.root))
    if (await hasStore({ env }, { state: projectState({ home: env.home, repoRoot: root }) })) other ??= root;
  if (other === undefined) return null;
  return new BatonError(
    'NOT_FOUND',
    `Nothing has run in this worktree yet; runs of the same repository were started in ${other}.`,
    { fix: `Go there, or name it: \`baton status --repo ${shellWord(other)}\`.` },
  );
}
