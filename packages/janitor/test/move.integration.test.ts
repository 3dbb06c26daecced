import { expect, test } from 'vitest';
import { diffSnapshots } from '@baton/testkit';
import {
  dropLandingRefs,
  isLanded,
  landedRefs,
  moveTarget,
  openLaneRef,
  prepareTarget,
  readLane,
} from '../src/index.ts';
import { candidateFor, land, scene, takeLane } from './helpers/landing.ts';
import { plantHooks } from './helpers/planted.ts';
import { commit, sh } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

test('a candidate lands: target and lane move together, and the lane names the landing', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const made = await candidateFor(here, { from: here.base, files: { 'a.txt': 'b\n' }, landingId: 'l1' });
  const moved = await land(here, { from: here.base, to: made.commit, landingId: 'l1' });
  expect(moved).toMatchObject({ kind: 'moved', lane: { epoch: 1 } });
  expect(await sh(here.user, 'rev-parse', 'work')).toBe(made.commit);
  expect(await readLane({ git, repo: here.user, storeId: 'store', target: 'work' })).toEqual({
    epoch: 1,
    holder: 'worker-1',
    intent: 'l1',
  });
  expect(await isLanded({ git, repo: here.user, target: 'work', commit: made.commit })).toBe(true);
});

test('two landings follow one another on the lane that the first left', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const one = await candidateFor(here, { from: here.base, files: { 'a.txt': 'b\n' }, landingId: 'l1' });
  const moved = await land(here, { from: here.base, to: one.commit, landingId: 'l1' });
  if (moved.kind !== 'moved') throw new Error(moved.kind);
  const two = await candidateFor(here, { from: one.commit, files: { 'a.txt': 'c\n' }, landingId: 'l2' });
  expect(
    await land(here, { from: one.commit, to: two.commit, landingId: 'l2', lane: moved.lane }),
  ).toMatchObject({ kind: 'moved' });
  expect(await sh(here.user, 'log', '--format=%H', `${here.base}^..work`)).toBe(
    `${two.commit}\n${one.commit}\n${here.base}`,
  );
});

test('a target that somebody else moved in between is a lost race, and nothing moves', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const made = await candidateFor(here, { from: here.base, files: { 'a.txt': 'b\n' }, landingId: 'l1' });
  const other = await candidateFor(here, { from: here.base, files: { 'z.txt': 'z\n' }, landingId: 'l2' });
  await sh(here.user, 'update-ref', 'refs/heads/work', other.commit);
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toEqual({
    kind: 'lost_race',
  });
  expect(await sh(here.user, 'rev-parse', 'work', here.lane.ref)).toBe(`${other.commit}\n${here.lane.value}`);
});

test('a stalled holder is refused by the epoch of the next one, and cannot take the lane back', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const made = await candidateFor(here, { from: here.base, files: { 'a.txt': 'b\n' }, landingId: 'l1' });
  await takeLane({ repo: here.user, target: 'work', epoch: 2, holder: 'worker-2' });
  expect(await land(here, { from: here.base, to: made.commit, landingId: 'l1' })).toEqual({
    kind: 'lane_lost',
  });
  expect(await sh(here.user, 'rev-parse', 'work')).toBe(here.base);
  const again = await openLaneRef({
    git,
    repo: here.user,
    storeId: 'store',
    target: 'work',
    epoch: 1,
    holder: 'worker-1',
  });
  expect(again).toEqual({ ok: false, currentEpoch: 2, currentHolder: 'worker-2' });
});

test('one epoch belongs to one holder, who may open the lane again', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const open = (holder: string) =>
    openLaneRef({ git, repo: here.user, storeId: 'store', target: 'work', epoch: 1, holder });
  expect(await open('worker-1')).toMatchObject({ ok: true, lane: here.lane });
  expect(await open('worker-2')).toMatchObject({ ok: false, currentHolder: 'worker-1' });
});

test('of many holders that open one lane at once, the highest epoch has it in the end', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const opened = await Promise.allSettled(
    [2, 3, 4, 5].map((epoch) =>
      openLaneRef({ git, repo: here.user, storeId: 'store', target: 'work', epoch, holder: `w${epoch}` }),
    ),
  );
  const last = await takeLane({ repo: here.user, target: 'work', epoch: 6, holder: 'w6' });
  expect(await sh(here.user, 'rev-parse', here.lane.ref)).toBe(last.value);
  const lost = opened.flatMap((each) =>
    each.status === 'fulfilled' && each.value.ok ? [each.value.lane] : [],
  );
  expect(lost.length).toBeGreaterThan(0);
  for (const lane of lost) {
    const made = await candidateFor(here, { from: here.base, files: { 'a.txt': 'b\n' }, landingId: 'x' });
    expect(await land(here, { from: here.base, to: made.commit, landingId: 'x', lane })).toEqual({
      kind: 'lane_lost',
    });
  }
});

test('a commit that is not in the repository cannot land, and no ref moves', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const missing = land(here, { from: here.base, to: 'f'.repeat(40), landingId: 'l1' });
  await expect(missing).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(await sh(here.user, 'rev-parse', 'work', here.lane.ref)).toBe(`${here.base}\n${here.lane.value}`);
});

test('the integration branch is made once, from the base; other targets must exist', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const prepare = (target: string) => prepareTarget({ git, repo: here.user, target, startPoint: here.base });
  expect(await prepare('baton/tidy')).toEqual({ head: here.base, created: true });
  await commit(here.user, { 'a.txt': 'later\n' });
  expect(await prepare('baton/tidy')).toEqual({ head: here.base, created: false });
  await expect(prepare('nowhere')).rejects.toMatchObject({ code: 'REF_INVALID' });
  await expect(prepare('--upload-pack=x')).rejects.toMatchObject({ code: 'REF_INVALID' });
  await expect(prepare('a/../../HEAD')).rejects.toMatchObject({ code: 'REF_INVALID' });
});

test('the user keeps everything else as it was, and hooks planted in the repository never run', async () => {
  const here = await scene({ 'a.txt': 'a\n' });
  const hooks = await plantHooks(here.user);
  const before = await here.repo.snapshot();
  const made = await candidateFor(here, { from: here.base, files: { 'a.txt': 'b\n' }, landingId: 'l1' });
  await prepareTarget({ git, repo: here.user, target: 'baton/new', startPoint: here.base });
  expect(await landedRefs({ git, repo: here.user, target: 'work' })).toEqual([]);
  const moved = await moveTarget({
    git,
    repo: here.user,
    target: 'work',
    from: here.base,
    to: made.commit,
    lane: here.lane,
    landingId: 'l1',
    stateDir: here.stateDir,
  });
  expect(moved.kind).toBe('moved');
  const landing = diffSnapshots(before, await here.repo.snapshot()).map(({ what }) => what);
  expect(landing).toEqual([
    'ref refs/baton/landing/l1',
    `ref ${here.lane.ref}`,
    'ref refs/heads/baton/new',
    'ref refs/heads/work',
  ]);
  expect(await landedRefs({ git, repo: here.user, target: 'work' })).toEqual(['refs/baton/landing/l1']);
  await dropLandingRefs({ git, repo: here.user, refs: ['refs/baton/landing/l1'] });
  const after = diffSnapshots(before, await here.repo.snapshot()).map(({ what }) => what);
  expect(after).toEqual([`ref ${here.lane.ref}`, 'ref refs/heads/baton/new', 'ref refs/heads/work']);
  expect(await hooks.ran()).toBe('');
  await here.repo.git('commit', '--quiet', '--allow-empty', '-m', 'by the user');
  expect(await hooks.ran(), 'the planted hooks work').toContain('pre-commit');
});
