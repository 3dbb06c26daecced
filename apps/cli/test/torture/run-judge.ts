import { execFileSync } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

import { startEmbeddedPostgres } from '@baton/embedded-postgres';
import type { Store } from '@baton/task-store';
import { diffSnapshots, listProcessesWithMarker, until } from '@baton/testkit';
import { openCourt, type Court } from '../../../../packages/task-store/test/campaigns/torture/court.ts';
import { judgeRows, leftRows } from '../../../../packages/task-store/test/campaigns/torture/judge-rows.ts';

import type { RunPlace } from './run-place.ts';
import type { TortureScript } from './tough-plan.ts';

/** Opens the trial's store; null when nothing was ever stored. */
export async function storeOf(place: RunPlace): Promise<Court | null> {
  if (place.url !== null) return openCourt(place.url);
  const [file] = await filesLike('projects/*/postgres/pg/PG_VERSION', place.home);
  if (file === undefined) return null;
  const server = await startEmbeddedPostgres({ home: path.join(place.home, file, '../..') });
  const court = await openCourt(server.url);
  if (court === null) await server.release();
  return (
    court && {
      ...court,
      async [Symbol.asyncDispose]() {
        await court[Symbol.asyncDispose]();
        await server.release();
      },
    }
  );
}

/** What may never be, right after a kill. */
export async function judgeRunMoment(place: RunPlace): Promise<string[]> {
  await using access = await storeOf(place);
  return access === null ? [] : [...(await judgeRows(access)), ...(await twiceLanded(place, access.store))];
}

/** What must be so once the run is over, and a last process has ended by itself. */
export async function judgeRun(place: RunPlace): Promise<string[]> {
  const wrong: string[] = [];
  {
    await using access = await storeOf(place);
    if (access === null) return ['nothing was stored'];
    const { store, sql } = access;
    wrong.push(...(await judgeRows(access)), ...(await leftRows(sql)));
    const runs = (await store.runs.list({})).items;
    const slugs = runs.map(({ slug }) => slug).sort();
    if (new Set(slugs).size !== slugs.length || runs.some(({ status }) => status !== 'done'))
      wrong.push(
        `runs: ${runs.map(({ status, statusReason }) => `${status} ${statusReason ?? ''}`).join(', ')}`,
      );
    wrong.push(
      ...(await wrongTasks(place, { store, isFollowed: runs.length > 1 })),
      ...(await twiceLanded(place, store)),
      ...(await wrongTarget(place, store)),
    );
  }
  return [
    ...wrong,
    ...(await lostBlobs(place)),
    ...(await leftFiles(place)),
    ...(await leftProcesses(place)),
  ];
}

async function wrongTasks(
  { plan }: RunPlace,
  { store, isFollowed }: { store: Store; isFollowed: boolean },
): Promise<string[]> {
  const tasks = (await store.tasks.list({ limit: 100 })).items;
  // No kill costs a try.
  const wanted: TortureScript['tries'] = { ...plan.tries, ...(isFollowed && { next: 0 }) };
  const isRight = tasks.every(
    ({ key, status, tries }) => status === 'CLOSED' && [wanted[key]].flat().includes(tries),
  );
  const keys = tasks.map(({ key }) => key).sort();
  if (isRight && keys.join() === Object.keys(wanted).sort().join()) return [];
  return [`tasks are ${tasks.map(({ key, status, tries }) => `${key} ${status} ${tries}`).join(', ')}`];
}

/** Ids of the tasks whose work a branch got since the run began, one for each commit. */
export async function taskIdsOn({ repo, base }: RunPlace, target: string): Promise<string[]> {
  const exists = (await repo.git('for-each-ref', '--format=%(refname)', `refs/heads/${target}`)) !== '';
  if (!exists) return [];
  const format = '--format=%(trailers:key=Task-Id,valueonly,separator=%x2C)';
  const printed = await repo.git('log', format, `${base}..${target}`);
  return printed === '' ? [] : printed.split('\n');
}

async function twiceLanded(place: RunPlace, store: Store): Promise<string[]> {
  const [run] = (await store.runs.list({ limit: 1 })).items;
  const ids = run === undefined ? [] : await taskIdsOn(place, run.target);
  return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `task ${id} landed twice`);
}

async function wrongTarget(place: RunPlace, store: Store): Promise<string[]> {
  const { plan } = place;
  const [run] = (await store.runs.list({ limit: 1 })).items;
  const target = run?.target ?? '';
  const landed = (await taskIdsOn(place, target)).sort();
  const tasks = (await store.tasks.list({ limit: 100 })).items.map(({ id }) => id).sort();
  const wrong =
    landed.join() === tasks.join() ? [] : [`${landed.length} commits landed for ${tasks.length} tasks`];
  const shared = await place.repo.git('show', `${target}:shared.txt`);
  if (!plan.shared.test(shared)) wrong.push(`shared.txt is ${JSON.stringify(shared)}`);
  const except = [/^ref refs\/(heads\/)?baton\//, ...(plan.isCheckedOut ? arrives : [])];
  const changed = diffSnapshots(place.before, await place.repo.snapshot(), { except });
  return [
    ...wrong,
    ...(await wrongCheckout(place)),
    ...changed.map(({ what }) => `the user's repository changed: ${what}`),
  ];
}

/** What changes for the user when work lands on the branch that is checked out: by a merge of git, which notes where it was. */
const arrives = [/^ORIG_HEAD$/, /^ref refs\/heads\/main$/, /^(file|index) [\w-]+\.txt$/];

/** The user's files and index are those of the branch, wherever it has come to. */
async function wrongCheckout({ repo }: RunPlace): Promise<string[]> {
  if ((await repo.git('rev-parse', '--is-bare-repository')) === 'true') return [];
  const differs = await repo.git('status', '--porcelain', '--untracked-files=no');
  return differs === '' ? [] : [`the checkout is not the branch that it is on: ${differs}`];
}

/** Whatever an agent says that it wrote must be found from some ref: of the user's repository or of Baton's clone. */
export async function lostBlobs({ repo, home }: RunPlace): Promise<string[]> {
  const ledger = await readFile(path.join(home, 'ledger'), 'utf8').catch(() => '');
  const clones = await filesLike(`${states}/repos/*/clone.git`, home);
  const kept = new Set(
    [repo.path, ...clones.map((clone) => path.join(home, clone))].flatMap((cwd) =>
      execFileSync('git', ['rev-list', '--objects', '--all'], { cwd, encoding: 'utf8' })
        .split('\n')
        .map((line) => line.slice(0, 40)),
    ),
  );
  const lines = ledger.split('\n').filter((line) => line !== '');
  return lines
    .filter((line) => !kept.has(line.slice(0, 40)))
    .map((line) => `lost what an agent wrote: ${line}`);
}

/** What lies about though nobody works any more: locks, records, refs, worktrees. */
export async function leftFiles({ repo, home }: RunPlace): Promise<string[]> {
  const locks = [
    ...(await filesLike('{.git/**/*,refs/**/*,*}.lock', repo.path)),
    ...(await filesLike(`${states}/repos/*/clone.git/**/*.lock`, home)),
  ];
  const records = await filesLike(`${states}/processes/*`, home);
  const refs = await repo.git('for-each-ref', '--format=%(refname)', 'refs/baton/landing');
  const held: string[] = [];
  const holders = [
    ...(await filesLike(`${states}/**/w*/lock/*/holder`, home)),
    ...(await filesLike(`${states}/ports/*/*/holder`, home)),
  ];
  for (const file of holders) {
    const text = await readFile(path.join(home, file), 'utf8');
    if (text !== '0\n') held.push(file);
  }
  const owned: string[] = [];
  for (const file of await filesLike(`${states}/**/w*/meta/state.json`, home)) {
    const { owner } = JSON.parse(await readFile(path.join(home, file), 'utf8')) as { owner: unknown };
    if (owner !== null) owned.push(file);
  }
  const worktrees = (await repo.git('worktree', 'list', '--porcelain'))
    .split('\n')
    .filter((line) => line.startsWith('worktree '));
  return [
    ...locks.map((file) => `lock file left: ${file}`),
    ...records.map((file) => `record of a process left: ${file}`),
    ...(refs === '' ? [] : [`landing refs left: ${refs}`]),
    ...held.map((file) => `still held: ${file}`),
    ...owned.map((file) => `worktree is still somebody's: ${file}`),
    ...(worktrees.length === 1 ? [] : ["a worktree was left in the user's repository"]),
  ];
}

/** Whatever still runs. */
export async function leftProcesses({ home, url }: RunPlace): Promise<string[]> {
  const wrong: string[] = [];
  await until(() => listProcessesWithMarker(home).length === 0, { what: 'no process is left' }).catch(() =>
    wrong.push(
      ...listProcessesWithMarker(home).map(({ commandLine }) => `process left: ${commandLine.slice(0, 200)}`),
    ),
  );
  const server = url === null ? await filesLike('projects/*/postgres/pg/postmaster.pid', home) : [];
  return [...wrong, ...server.map((file) => `the embedded server still runs: ${file}`)];
}

/** Folders of Baton's state: one for each project of a person, one for each worker that has a home of its own. */
const states = '{projects/*,*/worker}';

async function filesLike(pattern: string, cwd: string): Promise<string[]> {
  const found: string[] = [];
  for await (const file of glob(pattern, { cwd })) found.push(file);
  return found;
}
