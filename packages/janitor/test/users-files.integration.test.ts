import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import { applySweep, landingLockFiles, mergeRun, settleIntent, sweepRefs } from '../src/index.ts';
import { candidateFor, scene, takeLane } from './helpers/landing.ts';
import { commit, sh, userAndClone, work, write, type Files } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const base = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'd.txt': 'd\n', '.gitignore': 'ignored/\n*.local\n' };
/** What lies about in the checkout of anybody who works: nothing of it may change, whatever is done. */
const own = {
  'notes.txt': 'my notes\n',
  'deep/draft.md': 'a draft\n',
  'ignored/cache': 'x\n',
  'my.local': 'secret\n',
};
const change = { 'a.txt': 'changed\n', 'b.txt': null, 'c.txt': 'new\n', 'deep/e.txt': 'new too\n' };

async function halfDone() {
  const here = await scene(base, { target: 'main' });
  const made = await candidateFor(here, { from: here.base, files: change, landingId: 'l1' });
  const lockFiles = await landingLockFiles({ git, repo: here.user, target: 'main', laneRef: here.lane.ref });
  const intent = { fromCommit: here.base, candidateCommit: made.commit, holder: { lockFiles } };
  await write(here.user, own);
  const settle = () => settleIntent({ git, repo: here.user, target: 'main', intent, holderDead: true });
  return { here, made, settle };
}

test("taking a half-done fast-forward back leaves the user's untracked and ignored files alone", async () => {
  const { here, settle } = await halfDone();
  const before = await here.repo.snapshot();
  await write(here.user, change);
  await settle();
  expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
});

test.each<[string, Files, string[]]>([
  ["a file of the user's where one is added", { ...change, 'c.txt': 'my own c\n' }, []],
  ["only a file of the user's where one is added", { 'deep/e.txt': 'my own e\n' }, []],
  ['an edit of a file that is not in the change', { ...change, 'd.txt': 'my own d\n' }, []],
  ['a deletion of a file that is not in the change', { ...change, 'd.txt': null }, []],
  ['a file that the user has staged', { ...change, 'staged.txt': 'mine\n' }, ['staged.txt']],
])('%s leaves the whole checkout as it is', async (_, files, staged) => {
  const { here, settle } = await halfDone();
  await write(here.user, files);
  if (staged.length > 0) await sh(here.user, 'add', ...staged);
  const before = await here.repo.snapshot();
  expect(await settle()).toBe(false);
  expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
});

test('an untracked file alone, where nothing was begun, is no reason to touch anything', async () => {
  const { here, settle } = await halfDone();
  const before = await here.repo.snapshot();
  expect(await settle()).toBe(false);
  expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
});

/** A run that landed `files`, and a checkout that stands where it began, or has a commit of its own since. */
async function landed(files: Files, way: string) {
  const here = await userAndClone(base);
  const [head = ''] = await work(here.clone, here.base, files);
  await sh(here.user, 'fetch', '--quiet', here.clone, head);
  await sh(here.user, 'branch', 'baton/run', head);
  if (way === 'merge commit') await commit(here.user, { 'mine.txt': 'mine\n' });
  await write(here.user, own);
  const merge = (dryRun = false) =>
    mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main', dryRun });
  return { here, head, merge };
}
const refs = { except: [/^ORIG_HEAD$/, /^ref refs\/heads\/main$/, /^(file|index) (a|b|c|deep\/e)\.txt$/] };

test.each(['fast-forward', 'merge commit'])(
  "a %s keeps the user's files, and a dry run all of the checkout",
  async (way) => {
    const { here, merge } = await landed(change, way);
    const before = await here.repo.snapshot();
    const kind = way === 'merge commit' ? 'merged' : 'fast_forward';
    expect((await merge(true)).kind).toBe(way === 'merge commit' ? 'would_merge' : 'would_fast_forward');
    expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
    expect((await merge()).kind).toBe(kind);
    expect(diffSnapshots(before, await here.repo.snapshot(), refs)).toEqual([]);
    expect(await sh(here.user, 'status', '--porcelain', '--untracked-files=no')).toBe('');
  },
);

test.each([
  ['fast-forward', 'ignored', { 'my.local': 'theirs\n', 'a.txt': 'changed\n' }],
  ['merge commit', 'ignored', { 'my.local': 'theirs\n', 'a.txt': 'changed\n' }],
  ['fast-forward', 'untracked', { 'notes.txt': 'theirs\n', 'a.txt': 'changed\n' }],
  ['merge commit', 'ignored', { 'ignored/cache/x': 'a folder where a file is\n' }],
  ['merge commit', 'ignored', { ignored: 'a file where a folder is\n' }],
  ['merge commit', 'untracked', { 'notes.txt': 'theirs\n', 'a.txt': 'changed\n' }],
])('a %s over an %s file of the user is refused and changes nothing', async (way, _, files) => {
  const made = await userAndClone(base);
  const tree = join(made.folder, 'tree');
  await sh(made.clone, 'worktree', 'add', '--quiet', '--detach', tree, made.base);
  await write(tree, files);
  await sh(tree, 'add', '--force', '--all');
  await sh(tree, 'commit', '--quiet', '-m', 'theirs');
  await sh(made.user, 'fetch', '--quiet', made.clone, await sh(tree, 'rev-parse', 'HEAD'));
  await sh(made.user, 'branch', 'baton/run', 'FETCH_HEAD');
  if (way === 'merge commit') await commit(made.user, { 'mine.txt': 'mine\n' });
  await write(made.user, own);
  const before = await made.repo.snapshot();
  const merge = mergeRun({ git, repo: made.user, target: 'baton/run', into: 'main' });
  await expect(merge).rejects.toMatchObject({ code: 'REPO_DIRTY' });
  expect(diffSnapshots(before, await made.repo.snapshot(), { except: [/^ORIG_HEAD$/] })).toEqual([]);
});

test.each(['fast-forward', 'merge commit'])(
  'a %s is not begun over what the user has staged',
  async (way) => {
    const { here, merge } = await landed(change, way);
    await write(here.user, { 'd.txt': 'staged\n' });
    await sh(here.user, 'add', 'd.txt');
    const before = await here.repo.snapshot();
    for (const dryRun of [true, false]) expect(await merge(dryRun)).toEqual({ kind: 'dirty' });
    expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
  },
);

test('a sweep keeps every branch that is checked out somewhere, lives, or is only in other runs, and what belongs to them', async () => {
  const { folder, user, base: start, repo, clone } = await userAndClone(base);
  const [ahead = ''] = await work(clone, start, { 'a.txt': 'ahead\n' });
  await sh(user, 'fetch', '--quiet', clone, ahead);
  for (const name of ['here', 'linked', 'one', 'two', 'merged', 'run'])
    await sh(user, 'branch', `baton/${name}`, start);
  for (const name of ['only', 'only-too', 'published']) await sh(user, 'branch', `baton/${name}`, ahead);
  await sh(user, 'worktree', 'add', '--quiet', join(folder, 'linked'), 'baton/linked');
  await sh(user, 'update-ref', 'refs/remotes/origin/baton/elsewhere', start);
  const [beyond = ''] = await work(clone, ahead, { 'b.txt': 'beyond\n' });
  await sh(user, 'fetch', '--quiet', clone, beyond);
  await sh(user, 'branch', '--force', 'baton/published', beyond);
  await sh(user, 'update-ref', 'refs/remotes/origin/main', beyond);
  await sh(user, 'branch', '--force', 'baton/only', await commitOn(user, ahead));
  await sh(user, 'checkout', '--quiet', 'baton/here');
  await write(user, own);
  for (const name of ['run', 'run-2', 'one', 'merged'])
    await takeLane({ repo: user, target: `baton/${name}`, epoch: 1 });
  await sh(user, 'update-ref', 'refs/baton/lane/other-store/baton/gone', `refs/baton/lane/store/baton/run`);
  for (const id of ['open', 'open-too', 'opened'])
    await sh(user, 'update-ref', `refs/baton/landing/${id}`, start);
  await sh(user, 'update-ref', 'refs/baton/attempts/t1/1', ahead);
  const heads: Record<string, string> = {};
  for (const name of ['here', 'linked', 'one', 'two', 'merged', 'run', 'only', 'only-too', 'published'])
    heads[name] = await sh(user, 'rev-parse', `baton/${name}`);
  const options = {
    git,
    repo: user,
    storeId: 'store',
    liveTargets: ['baton/one', 'baton/two'],
    settledTargets: Object.entries(heads).map(([name, head]) => ({ target: `baton/${name}`, heads: [head] })),
    settledLandings: ['opened'],
  };
  const before = await repo.snapshot();
  const plan = await sweepRefs(options);
  expect(diffSnapshots(before, await repo.snapshot())).toEqual([]);
  expect(plan.map(({ ref }) => ref).sort()).toEqual([
    'refs/baton/landing/opened',
    'refs/baton/lane/store/baton/merged',
    'refs/baton/lane/store/baton/run',
    'refs/baton/lane/store/baton/run-2',
    ...['merged', 'only-too', 'published', 'run'].map((name) => `refs/heads/baton/${name}`),
  ]);
  await sh(user, 'update-ref', 'refs/heads/baton/merged', ahead);
  const done = await applySweep(options, plan);
  expect(plan.filter((act) => !done.includes(act)).map(({ ref }) => ref)).toEqual([
    'refs/heads/baton/merged',
    'refs/baton/lane/store/baton/merged',
  ]);
  const changed = diffSnapshots(before, await repo.snapshot(), { except: [/^ref refs\//] });
  expect(changed).toEqual([]);
});

async function commitOn(user: string, start: string): Promise<string> {
  return sh(user, 'commit-tree', `${start}^{tree}`, '-p', start, '-m', 'only here');
}
