import { diffSnapshots } from '@baton/testkit';

import { leftFiles, leftProcesses, lostBlobs, storeOf, taskIdsOn } from './run-judge.ts';
import type { RunPlace } from './run-place.ts';

/** What becomes of the user's repository when a run's work is merged. */
const arrives = [
  /^ORIG_HEAD$/,
  /^ref refs\/heads\/main$/,
  /^ref refs\/(heads\/)?baton\//,
  /^(file|index) [\w-]+\.txt$/,
];

/** The run's work is on the user's branch, once, and in the user's files; nothing is left half-way. */
export async function judgeMerge(place: RunPlace, given: { isDiverged: boolean }): Promise<string[]> {
  const { repo, base } = place;
  const merges = (await lines(repo.git('rev-list', '--merges', `${base}..main`))).length;
  const own = await lines(repo.git('log', '--format=%s', `${base}..main`, '--', 'own.txt'));
  const author = given.isDiverged ? await repo.git('log', '-1', '--format=%an', 'main') : 'Test Person';
  return [
    ...(await wrongWork(place)),
    ...(merges === Number(given.isDiverged) ? [] : [`it was merged ${merges} times`]),
    ...(own.length === Number(given.isDiverged) ? [] : ["the user's own work is not there once"]),
    ...(author === 'Test Person' ? [] : [`the merge is by ${author}`]),
  ];
}

/** Nothing of Baton's is left in the user's repository, and nothing that anybody wrote is lost. */
export async function judgeClean(place: RunPlace): Promise<string[]> {
  const refs = await lines(place.repo.git('for-each-ref', '--format=%(refname)'));
  return [
    ...refs.filter((ref) => ref !== 'refs/heads/main').map((ref) => `a ref is left: ${ref}`),
    ...(await wrongWork(place)),
    ...(await lostBlobs(place)),
    ...(await leftFiles(place)),
    ...(await leftProcesses(place)),
  ];
}

async function wrongWork(place: RunPlace): Promise<string[]> {
  const { repo, plan } = place;
  await using access = await storeOf(place);
  const tasks = access === null ? [] : (await access.store.tasks.list({ limit: 100 })).items;
  const landed = (await taskIdsOn(place, 'main')).filter((id) => id !== '').sort();
  const wanted = tasks.map(({ id }) => id).sort();
  const shared = await repo.git('show', 'HEAD:shared.txt');
  const differs = await repo.git('status', '--porcelain', '--untracked-files=no');
  const changed = diffSnapshots(place.before, await repo.snapshot(), { except: arrives });
  return [
    ...(landed.join() === wanted.join()
      ? []
      : [`main has work of ${landed.length} of ${wanted.length} tasks`]),
    ...(plan.shared.test(shared) ? [] : [`shared.txt is ${JSON.stringify(shared)}`]),
    ...(differs === '' ? [] : [`the checkout is not the branch that it is on: ${differs}`]),
    ...changed.map(({ what }) => `the user's repository changed: ${what}`),
  ];
}

async function lines(printed: Promise<string>): Promise<string[]> {
  return (await printed).split('\n').filter((line) => line !== '');
}
