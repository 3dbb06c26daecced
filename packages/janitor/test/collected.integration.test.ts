import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { landingRefOf, readLane } from '../src/index.ts';
import { candidateFor, land, scene, takeLane } from './helpers/landing.ts';
import { sh } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

test('a commit that comes while git collects is not removed by a collection that looked before it came', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  writeFileSync(join(here.user, '.git/gc.pid'), `${process.pid} ${hostname()}`);
  const { commit } = await candidateFor(here, {
    from: here.base,
    files: { 'b.txt': 'b\n' },
    landingId: 'l1',
  });
  // What the collection knows: it looked when no ref led there.
  const ref = landingRefOf({ repo: here.user, landingId: 'l1' }) ?? '';
  await sh(here.user, 'update-ref', '-d', ref);
  await sh(here.user, 'prune', '--expire=now');
  await sh(here.user, 'update-ref', ref, commit);
  expect((await land(here, { from: here.base, to: commit, landingId: 'l1' })).kind).toBe('moved');
  await sh(here.user, 'fsck', '--connectivity-only', '--no-dangling');
});

test('a lane whose record git has collected is taken again, and work lands on it', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const { ref, value } = here.lane;
  rmSync(join(here.user, '.git/objects', value.slice(0, 2), value.slice(2)));
  const lane = await takeLane({ repo: here.user, target: 'work', epoch: 2, holder: 'worker-2' });
  const { commit } = await candidateFor(here, {
    from: here.base,
    files: { 'b.txt': 'b\n' },
    landingId: 'l1',
  });
  expect((await land(here, { from: here.base, to: commit, landingId: 'l1' })).kind).toBe('lane_lost');
  expect((await land(here, { from: here.base, to: commit, landingId: 'l1', lane })).kind).toBe('moved');
  const place = { git, repo: here.user, storeId: 'store', target: 'work' };
  expect(await readLane(place)).toMatchObject({ epoch: 2, intent: 'l1' });
  expect(await sh(here.user, 'cat-file', '-t', ref)).toBe('blob');
});
