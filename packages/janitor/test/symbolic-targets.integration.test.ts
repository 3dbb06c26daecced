import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import {
  applySweep,
  dropLandingRefs,
  landingLockFiles,
  prepareTarget,
  restoreTarget,
  sweepRefs,
  targetLoss,
  targetUse,
} from '../src/index.ts';
import { candidateFor, land, scene, takeLane } from './helpers/landing.ts';
import { sh, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

/** A target that is a symbolic ref for the branch that is checked out. */
async function ready() {
  const here = await scene({ 'a.txt': 'a\n' }, { target: 'main' });
  await sh(here.user, 'symbolic-ref', 'refs/heads/near', 'refs/heads/main');
  await sh(here.user, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/near');
  const target = 'alias';
  const made = await candidateFor(here, { from: here.base, files: { 'a.txt': 'b\n' }, landingId: 'l1' });
  const landing = () => land({ ...here, target }, { from: here.base, to: made.commit, landingId: 'l1' });
  return { here, target, to: made.commit, landing };
}

test('a target that is a symbolic name of a checked-out branch lands with the files there, and comes back with them', async () => {
  const { here, target, to, landing } = await ready();
  const isLanded = async () => {
    expect(await sh(here.user, 'rev-parse', 'main', 'alias')).toBe(`${to}\n${to}`);
    expect(await sh(here.user, 'status', '--porcelain')).toBe('');
    expect(await readFile(join(here.user, 'a.txt'), 'utf8')).toBe('b\n');
  };
  expect(await landing()).toMatchObject({ kind: 'moved' });
  await isLanded();
  await sh(here.user, 'reset', '--quiet', '--hard', here.base);
  await sh(here.user, 'config', 'branch.main.mergeOptions', '-s ours');
  const place = { git, repo: here.user, clone: here.clone, target };
  const loss = await targetLoss({ ...place, commits: [to] });
  if (loss === null) throw new Error('nothing was lost');
  await restoreTarget({ ...place, loss });
  await isLanded();
});

test('changes and operations of a person on the branch behind a symbolic name hold it up', async () => {
  const { here, target, landing } = await ready();
  const locks = await landingLockFiles({ git, repo: here.user, target, laneRef: here.lane.ref });
  expect(locks.map((file) => relative(join(here.user, '.git'), file))).toEqual(
    expect.arrayContaining(['refs/heads/alias.lock', 'refs/heads/main.lock', 'index.lock']),
  );
  await write(here.user, { 'a.txt': 'mine\n' });
  expect(await landing()).toMatchObject({ kind: 'blocked', blocked: 'checkout_dirty' });
  const prepare = prepareTarget({ git, repo: here.user, target, startPoint: here.base });
  await expect(prepare).rejects.toMatchObject({ code: 'REPO_DIRTY' });
  await sh(here.user, 'checkout', '--quiet', '--', '.');
  await sh(here.user, 'bisect', 'start');
  expect(await targetUse(git, { repo: here.user, target })).toMatchObject({ operation: 'bisect' });
  expect(await landing()).toMatchObject({ kind: 'blocked', blocked: 'target_in_use' });
  await sh(here.user, 'bisect', 'reset');
  await sh(here.user, 'pack-refs', '--all');
  expect(await landing()).toMatchObject({ kind: 'moved' });
});

test('cleaning deletes no branch that a symbolic name leads to', async () => {
  const { here } = await ready();
  await sh(here.user, 'branch', 'kept', here.base);
  for (const name of ['refs/heads/baton/current', 'refs/baton/landing/l2'])
    await sh(here.user, 'symbolic-ref', name, 'refs/heads/kept');
  const options = {
    git,
    repo: here.user,
    storeId: 'store',
    liveTargets: ['main'],
    settledTargets: [{ target: 'baton/current', heads: [here.base] }],
    settledLandings: ['l2'],
  };
  await takeLane({ repo: here.user, target: 'alias', epoch: 1 });
  expect(await sweepRefs(options)).toEqual([]);
  const act = { ref: 'refs/heads/baton/current', id: here.base, reason: 'it was planned before' };
  expect(await applySweep(options, [act])).toEqual([act]);
  await dropLandingRefs({ git, repo: here.user, refs: ['refs/baton/landing/l2'] });
  expect(await sh(here.user, 'rev-parse', 'kept')).toBe(here.base);
});
