import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { Git } from '@baton/contracts';
import {
  buildCandidate,
  isLanded,
  landingLockFiles,
  moveTarget,
  openLaneRef,
  prepareTarget,
  publishCandidate,
  readLane,
  settleIntent,
  targetHead,
} from '../src/index.ts';
import { at, takeLane } from './helpers/landing.ts';
import { sh, userAndClone, work } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

/** A bare remote behind a URL, and two clones of Baton's on different machines. */
async function remoteScene() {
  const { folder, user, clone, base, stateDir } = await userAndClone({ 'a.txt': 'a\n' });
  const bare = join(folder, 'remote.git');
  const elsewhere = join(folder, 'elsewhere.git');
  await sh(folder, 'clone', '--quiet', '--bare', user, bare);
  await sh(folder, 'clone', '--quiet', '--bare', user, elsewhere);
  return { bare, elsewhere, clone, base, stateDir, repo: pathToFileURL(bare).href };
}

type RemoteScene = Awaited<ReturnType<typeof remoteScene>>;

async function candidate(here: RemoteScene, options: { from: string; text: string; clone?: string }) {
  const clone = options.clone ?? here.clone;
  const [head = ''] = await work(clone, options.from, { 'a.txt': options.text });
  const made = await buildCandidate({
    git,
    clone,
    targetHead: options.from,
    startCommit: options.from,
    headCommit: head,
    message: 'task',
    trailers: {},
    at,
  });
  if (made.kind !== 'clean') throw new Error(made.kind);
  await publishCandidate({ git, clone, repo: here.repo, commit: made.commit, landingId: 'l1' });
  return made.commit;
}

test('a candidate lands on a remote with its lane, in one push', async () => {
  const here = await remoteScene();
  const place = { git, repo: here.repo, clone: here.clone };
  expect(await prepareTarget({ ...place, target: 'baton/run', startPoint: here.base })).toEqual({
    head: here.base,
    created: true,
  });
  const lane = await takeLane({ repo: here.repo, clone: here.clone, target: 'baton/run', epoch: 1 });
  const to = await candidate(here, { from: here.base, text: 'b\n' });
  const moved = await moveTarget({
    ...place,
    target: 'baton/run',
    from: here.base,
    to,
    lane,
    landingId: 'l1',
    stateDir: here.stateDir,
  });
  expect(moved).toMatchObject({ kind: 'moved' });
  expect(await sh(here.bare, 'rev-parse', 'baton/run')).toBe(to);
  expect(await readLane({ ...place, storeId: 'store', target: 'baton/run' })).toEqual({
    epoch: 1,
    holder: 'worker-1',
    intent: 'l1',
  });
  expect(await sh(here.bare, 'for-each-ref', '--format=%(refname)')).toBe(
    `${lane.ref}\nrefs/heads/baton/run\nrefs/heads/main`,
  );
});

test('a machine that never saw the commits answers by fetching what it needs', async () => {
  const here = await remoteScene();
  const lane = await takeLane({ repo: here.repo, clone: here.clone, target: 'main', epoch: 1 });
  const to = await candidate(here, { from: here.base, text: 'b\n' });
  await moveTarget({
    git,
    repo: here.repo,
    clone: here.clone,
    target: 'main',
    from: here.base,
    to,
    lane,
    landingId: 'l1',
    stateDir: here.stateDir,
  });
  const other = { git, repo: here.repo, clone: here.elsewhere };
  expect(await isLanded({ ...other, target: 'main', commit: to })).toBe(true);
  expect(await targetHead({ ...other, target: 'main' })).toBe(to);
  expect(await isLanded({ ...other, target: 'main', commit: 'f'.repeat(40) })).toBe(false);
  expect(
    await openLaneRef({ ...other, storeId: 'store', target: 'main', epoch: 1, holder: 'worker-2' }),
  ).toMatchObject({ ok: false, currentHolder: 'worker-1' });
  expect(
    await openLaneRef({ ...other, storeId: 'store', target: 'main', epoch: 2, holder: 'worker-2' }),
  ).toMatchObject({ ok: true });
});

test('on a remote, too, a race is lost without a trace and a stalled holder is refused', async () => {
  const here = await remoteScene();
  const place = { git, repo: here.repo, clone: here.clone, target: 'main', stateDir: here.stateDir };
  const lane = await takeLane({ repo: here.repo, clone: here.clone, target: 'main', epoch: 1 });
  const to = await candidate(here, { from: here.base, text: 'b\n' });
  const other = await candidate(here, { from: here.base, text: 'z\n', clone: here.elsewhere });
  await sh(here.elsewhere, 'push', '--quiet', here.repo, `${other}:refs/heads/main`);
  expect(await moveTarget({ ...place, from: here.base, to, lane, landingId: 'l1' })).toEqual({
    kind: 'lost_race',
  });
  expect(await sh(here.bare, 'rev-parse', 'main', lane.ref)).toBe(`${other}\n${lane.value}`);
  await takeLane({ repo: here.repo, clone: here.elsewhere, target: 'main', epoch: 2, holder: 'worker-2' });
  const again = await candidate(here, { from: here.base, text: 'c\n' });
  expect(await moveTarget({ ...place, from: here.base, to: again, lane, landingId: 'l1' })).toEqual({
    kind: 'lane_lost',
  });
  expect(await sh(here.bare, 'rev-parse', 'main')).toBe(other);
});

test('a push into a folder still runs to its end when its caller is killed, a look does not', async () => {
  const here = await remoteScene();
  const asked: unknown[] = [];
  const watched: Git = (args, options) => {
    if (args[0] === 'push' || args[0] === 'ls-remote') asked.push([args[0], options.finishes ?? false]);
    return git(args, options);
  };
  const place = { git: watched, repo: here.repo, clone: here.clone };
  await prepareTarget({ ...place, target: 'baton/run', startPoint: here.base });
  expect(asked).toEqual([
    ['ls-remote', false],
    ['push', true],
  ]);
});

test('a push whose answer is lost after it took effect counts as moved', async () => {
  const here = await remoteScene();
  const lane = await takeLane({ repo: here.repo, clone: here.clone, target: 'main', epoch: 1 });
  const to = await candidate(here, { from: here.base, text: 'b\n' });
  const deaf: Git = async (args, options) => {
    const result = await git(args, options);
    return args[0] === 'push' ? { ...result, exitCode: 128, stderr: 'connection reset' } : result;
  };
  const move = {
    repo: here.repo,
    clone: here.clone,
    target: 'main',
    from: here.base,
    to,
    lane,
    landingId: 'l1',
    stateDir: here.stateDir,
  };
  expect(await moveTarget({ ...move, git: deaf })).toMatchObject({ kind: 'moved' });
});

test('a remote that does not answer is an error and settles nothing', async () => {
  const here = await remoteScene();
  const gone = { git, repo: `${here.repo}-gone`, clone: here.clone, target: 'main' };
  const intent = { fromCommit: here.base, candidateCommit: here.base, holder: { lockFiles: [] } };
  await expect(settleIntent({ ...gone, intent, holderDead: true })).rejects.toMatchObject({
    code: 'GIT_FAILED',
  });
  await expect(openLaneRef({ ...gone, storeId: 'store', epoch: 1, holder: 'w' })).rejects.toMatchObject({
    code: 'GIT_FAILED',
  });
});

test('after a crash a remote landing is settled by the target alone, without lock files', async () => {
  const here = await remoteScene();
  const place = { git, repo: here.repo, clone: here.clone, target: 'main' };
  const lane = await takeLane({ repo: here.repo, clone: here.clone, target: 'main', epoch: 1 });
  expect(await landingLockFiles({ ...place, laneRef: lane.ref })).toEqual([]);
  const to = await candidate(here, { from: here.base, text: 'b\n' });
  const intent = { fromCommit: here.base, candidateCommit: to, holder: { lockFiles: [] } };
  expect(await settleIntent({ ...place, intent, holderDead: true })).toBe(false);
  await moveTarget({ ...place, from: here.base, to, lane, landingId: 'l1', stateDir: here.stateDir });
  expect(await settleIntent({ ...place, clone: here.elsewhere, intent, holderDead: true })).toBe(true);
});

test('a remote target without a clone is refused by name', async () => {
  const here = await remoteScene();
  await expect(targetHead({ git, repo: here.repo, target: 'main' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    at: 'clone',
  });
});
