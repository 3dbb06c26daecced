import { BatonError } from '@baton/contracts';
import type { Run, Store, Task } from '@baton/task-store';

import { nearest } from '../terminal/nearest.ts';

/** Runs whose keys a mistyped one is compared with, the newest first. */
const mostRuns = 5;

/** Where a name was looked for. */
interface Searched {
  store: Store;
  /** Null: there is no repository here. */
  project: { root: string } | null;
}

/** The tasks of exactly this key in the runs of this repository; of all where there is none here. */
export async function tasksOfKey({ store, project }: Searched, key: string): Promise<Task[]> {
  const found: Task[] = [];
  let cursor: string | null = null;
  do {
    const filter = { text: key, limit: 200, ...(cursor === null ? {} : { cursor }) };
    const page: Awaited<ReturnType<Store['tasks']['list']>> = await store.tasks.list(filter);
    found.push(...page.items.filter((task) => task.key === key));
    cursor = page.nextCursor;
  } while (cursor !== null);
  if (project === null) return found;
  const here = new Map<string, boolean>();
  for (const { runId } of found)
    if (!here.has(runId)) here.set(runId, (await repoOf(store, runId)) === project.root);
  return found.filter(({ runId }) => here.get(runId) === true);
}

/** The error for a task that does not exist, with what was probably meant; the one given where nothing is near. */
export async function noSuchTask(
  searched: Searched,
  { reference, runId, error }: { reference: string; runId: string | undefined; error: unknown },
): Promise<unknown> {
  const fix =
    runId === undefined
      ? await taskMeant(searched, reference)
      : didYouMean('', nearest(reference, await keysOf(searched.store, [runId])));
  return fix === null ? error : missing(`There is no task "${reference}".`, { fix, cause: error });
}

/** The error for a run that does not exist, with what was probably meant; the one given where nothing is near. */
export async function noSuchRun(
  { store, project }: Searched,
  { reference, error }: { reference: string; error: unknown },
): Promise<unknown> {
  const task = await orNull(store.tasks.find(reference, project === null ? {} : { location: project.root }));
  const ofTask = task && (await store.runs.get(task.runId));
  const said = `There is no run "${reference}".`;
  if (ofTask) {
    const fix = `That is a task of the run ${ofTask.slug}: name the run, or see \`baton task ${ofTask.slug}/${task.key}\`.`;
    return missing(said, { fix, cause: error });
  }
  const meant = await nearRun(store, reference);
  if (meant === null) return error;
  return missing(said, {
    fix: `Did you mean ${meant.slug}? \`baton runs\` lists what there is.`,
    cause: error,
  });
}

const missing = (message: string, more: { fix: string; cause: unknown }): BatonError =>
  new BatonError('NOT_FOUND', message, more);

async function taskMeant({ store, project }: Searched, reference: string): Promise<string | null> {
  const slash = reference.indexOf('/');
  if (slash >= 0) {
    const run = await runNear(store, reference.slice(0, slash));
    if (run === null) return null;
    return didYouMean(`${run.slug}/`, nearest(reference.slice(slash + 1), await keysOf(store, [run.id])));
  }
  const named = await orNull(store.runs.find(reference));
  if (named !== null)
    return `That is the run ${named.slug}, and a task is meant: \`baton tasks ${named.slug}\` lists its tasks, each named as ${named.slug}/<task>.`;
  const elsewhere = await orNull(store.tasks.find(reference));
  const of = elsewhere && (await store.runs.get(elsewhere.runId));
  if (of)
    return `The run ${of.slug} of ${(await repoOf(store, of.id)) ?? '?'} has one: name it as ${of.slug}/${elsewhere.key}.`;
  const { items } = await store.runs.list({ limit: 100 });
  const near: string[] = [];
  for (const { id } of items) {
    if (near.length === mostRuns) break;
    if (project === null || (await repoOf(store, id)) === project.root) near.push(id);
  }
  return didYouMean('', nearest(reference, await keysOf(store, near)));
}

const didYouMean = (before: string, meant: string | undefined): string | null =>
  meant === undefined ? null : `Did you mean ${before}${meant}? \`baton tasks\` lists the tasks of a run.`;

const runNear = async (store: Store, name: string): Promise<Run | null> =>
  (await orNull(store.runs.find(name))) ?? nearRun(store, name);

async function nearRun(store: Store, name: string): Promise<Run | null> {
  const { items } = await store.runs.list({ limit: 100 });
  const meant = nearest(
    name,
    items.map(({ slug }) => slug),
  );
  return items.find(({ slug }) => slug === meant) ?? null;
}

async function repoOf(store: Store, runId: string): Promise<string | null> {
  const run = await store.runs.get(runId);
  return run === null ? null : ((await store.runs.repo(run.repoId))?.location ?? null);
}

async function keysOf(store: Store, runIds: readonly string[]): Promise<string[]> {
  const tasks = await Promise.all(runIds.map((runId) => store.tasks.list({ runId, limit: 200 })));
  return tasks.flatMap(({ items }) => items.map(({ key }) => key));
}

/** Null: there is none of that name, or there are several. */
async function orNull<T>(found: Promise<T>): Promise<T | null> {
  return found.catch((error: unknown) => {
    if (BatonError.is(error, 'NOT_FOUND') || BatonError.is(error, 'AMBIGUOUS')) return null;
    throw error;
  });
}
