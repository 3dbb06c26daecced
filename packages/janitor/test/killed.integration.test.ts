import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Git } from '@baton/contracts';
import { diffSnapshots, until } from '@baton/testkit';
import {
  gitEnded,
  landingLockFiles,
  moveTarget,
  openLaneRef,
  removeDeadLocks,
  settleIntent,
} from '../src/index.ts';
import { candidateFor, scene, takeLane } from './helpers/landing.ts';
import { sh } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

test('git killed in the middle of a fast-forward leaves just the named locks, and the next holder puts all right', async () => {
  const here = await scene(
    { 'a.txt': 'a\n', 'z.slow': 'z\n', '.gitattributes': '*.slow filter=slow\n' },
    { target: 'main' },
  );
  const started = join(here.folder, 'started');
  // A checkout that stops at its last file: by then others are written.
  await here.repo.git('config', 'filter.slow.smudge', `touch '${started}' && sleep 60`);
  const made = await candidateFor(here, {
    from: here.base,
    files: { 'a.txt': 'b\n', 'new.txt': 'new\n', 'z.slow': 'y\n' },
    landingId: 'l1',
  });
  const lockFiles = await landingLockFiles({ git, repo: here.user, target: 'main', laneRef: here.lane.ref });
  const before = await here.repo.snapshot();

  const death = new AbortController();
  const mortal: Git = (args, options) =>
    git(args, args.includes('update-ref') ? { ...options, signal: death.signal } : options);
  const move = {
    repo: here.user,
    target: 'main',
    from: here.base,
    to: made.commit,
    landingId: 'l1',
    stateDir: here.stateDir,
  };
  const dying = moveTarget({ ...move, git: mortal, lane: here.lane });
  const hasStarted = () =>
    access(started).then(
      () => true,
      () => false,
    );
  await until(hasStarted, { what: 'the checkout stands at its last file' });
  death.abort();
  await expect(dying).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(gitEnded(await dying.catch((cause: unknown) => cause))).toBe(false);

  const names = await readdir(join(here.user, '.git'), { recursive: true });
  const left = names.filter((name) => name.endsWith('.lock')).map((name) => join(here.user, '.git', name));
  expect(left.length).toBeGreaterThan(1);
  expect(lockFiles).toEqual(expect.arrayContaining(left));
  expect(diffSnapshots(before, await here.repo.snapshot())).not.toEqual([]);

  const take = () =>
    openLaneRef({ git, repo: here.user, storeId: 'store', target: 'main', epoch: 2, holder: 'worker-2' });
  await expect(take()).rejects.toMatchObject({ code: 'GIT_FAILED', fix: expect.stringContaining('.lock') });
  await here.repo.git('config', '--unset', 'filter.slow.smudge');
  await removeDeadLocks({ git, repo: here.user, lockFiles });
  const lane = await takeLane({ repo: here.user, target: 'main', epoch: 2, holder: 'worker-2' });
  const intent = { fromCommit: here.base, candidateCommit: made.commit, holder: { lockFiles } };
  expect(await settleIntent({ git, repo: here.user, target: 'main', intent, holderDead: true })).toBe(false);
  const except = [/^config$/, /^ORIG_HEAD$/, /^ref refs\/baton\/lane\//];
  expect(diffSnapshots(before, await here.repo.snapshot(), { except })).toEqual([]);

  expect(await moveTarget({ ...move, git, lane, landingId: 'l2' })).toMatchObject({ kind: 'moved' });
  expect(await sh(here.user, 'status', '--porcelain')).toBe('');
});
