import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Git } from '@baton/contracts';
import { diffSnapshots } from '@baton/testkit';
import {
  applySweep,
  buildCandidate,
  diffRun,
  landedDiff,
  mergeRun,
  patchIdOf,
  publishCandidate,
  sweepRefs,
} from '../src/index.ts';
import { at, takeLane } from './helpers/landing.ts';
import { commit, sh, userAndClone, work, write } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

/** A user's repository with one landed commit on `baton/run`. */
async function landedScene() {
  const here = await userAndClone({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const { clone, user, base } = here;
  const [head = ''] = await work(clone, base, { 'a.txt': 'task\n' });
  const made = await buildCandidate({
    git,
    clone,
    targetHead: base,
    startCommit: base,
    headCommit: head,
    message: 'Do it',
    trailers: { 'Task-Id': 't1' },
    at,
  });
  if (made.kind !== 'clean') throw new Error(made.kind);
  await publishCandidate({ git, clone, repo: user, commit: made.commit, landingId: 'l1' });
  await sh(user, 'branch', 'baton/run', made.commit);
  return { ...here, landed: made.commit };
}

test('the diff of a run shows what landed, by whom, and the text of the change', async () => {
  const here = await landedScene();
  const diff = await diffRun({ git, repo: here.user, target: 'baton/run', base: here.base });
  expect(diff.commits).toEqual([{ commit: here.landed, subject: 'Do it', taskId: 't1' }]);
  expect(diff.stat).toContain('a.txt | 2 +-');
  expect(diff.text).toContain('-a\n+task');
  expect(await landedDiff({ git, repo: here.user, commit: here.landed })).toBe(diff.text);
  await expect(
    diffRun({ git, repo: here.user, target: 'baton/none', base: here.base }),
  ).rejects.toMatchObject({ code: 'REF_INVALID' });
});

test('merging a run fast-forwards the branch that is checked out, and a second time does nothing', async () => {
  const here = await landedScene();
  const merge = (dryRun: boolean) =>
    mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main', dryRun });
  const before = await here.repo.snapshot();
  expect(await merge(true)).toEqual({ kind: 'would_fast_forward' });
  expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
  expect(await merge(false)).toEqual({ kind: 'fast_forward', commit: here.landed });
  expect(await readFile(join(here.user, 'a.txt'), 'utf8')).toBe('task\n');
  expect(await merge(false)).toEqual({ kind: 'up_to_date' });
});

test("a branch that moved on gets a merge commit in the user's name", async () => {
  const here = await landedScene();
  await commit(here.user, { 'b.txt': 'mine\n' });
  const merged = await mergeRun({ git, repo: here.user, target: 'baton/run', into: 'main' });
  expect(merged.kind).toBe('merged');
  expect(await sh(here.user, 'log', '-1', '--format=%an %cn %s')).toBe(
    "Test Person Test Person Merge branch 'baton/run' into main",
  );
  expect(await readFile(join(here.user, 'a.txt'), 'utf8')).toBe('task\n');
});

test('a caller of a merge or a sweep may be killed: its git still runs to its end', async () => {
  const here = await landedScene();
  const asked: unknown[] = [];
  const watched: Git = (args, options) => {
    if (args.some((arg) => arg === 'merge' || arg === 'update-ref')) asked.push(options.finishes);
    return git(args, options);
  };
  const merge = () => mergeRun({ git: watched, repo: here.user, target: 'baton/run', into: 'main' });
  await commit(here.user, { 'b.txt': 'mine\n' });
  expect(await merge()).toMatchObject({ kind: 'merged' });
  await sh(here.user, 'reset', '--quiet', '--hard', here.base);
  expect(await merge()).toMatchObject({ kind: 'fast_forward' });
  const options = {
    ...{ git: watched, repo: here.user, storeId: 'store', liveTargets: [], settledLandings: ['l1'] },
    settledTargets: [{ target: 'baton/run', heads: [here.landed] }],
  };
  expect(await applySweep(options, await sweepRefs(options))).toHaveLength(2);
  expect(asked).toEqual([true, true, true, true]);
});

test('a merge that would conflict, a dirty checkout and another branch leave all as it is', async () => {
  const here = await landedScene();
  await commit(here.user, { 'a.txt': 'mine\n' });
  const merge = (into: string) => mergeRun({ git, repo: here.user, target: 'baton/run', into });
  const before = await here.repo.snapshot();
  expect(await merge('main')).toEqual({ kind: 'conflict', files: ['a.txt'] });
  expect(await merge('release')).toEqual({ kind: 'not_checked_out', current: 'main' });
  expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
  await write(here.user, { 'b.txt': 'dirty\n' });
  expect(await merge('main')).toEqual({ kind: 'dirty' });
  await sh(here.user, 'checkout', '--quiet', '--detach');
  expect(await merge('main')).toEqual({ kind: 'not_checked_out', current: null });
});

test('sweeping lists only what is safe to remove, and removes it only when told', async () => {
  const here = await landedScene();
  await sh(here.user, 'branch', 'baton/unmerged', here.landed);
  await sh(here.user, 'branch', 'baton/live', here.base);
  await sh(here.user, 'branch', 'baton/done', here.base);
  await takeLane({ repo: here.user, target: 'baton/gone', epoch: 1 });
  await takeLane({ repo: here.user, target: 'baton/run', epoch: 1 });
  await sh(here.user, 'update-ref', 'refs/baton/landing/open', here.landed);
  for (const name of ['mine', 'mine-too', 'shared'])
    await sh(here.user, 'branch', `baton/${name}`, here.base);
  await sh(here.user, 'update-ref', 'refs/baton/landing/of-another-store', here.landed);
  await takeLane({ repo: here.user, target: 'baton/shared', epoch: 1 });
  await sh(
    here.user,
    'update-ref',
    'refs/baton/lane/another-store/baton/shared',
    'refs/baton/lane/store/baton/shared',
  );
  await sh(here.user, 'update-ref', '-d', 'refs/baton/lane/store/baton/shared');
  const settled = (target: string, head: string) => ({ target, heads: [head] });
  const options = {
    git,
    repo: here.user,
    storeId: 'store',
    liveTargets: ['baton/live'],
    settledTargets: [
      settled('baton/unmerged', here.landed),
      settled('baton/done', here.base),
      // Somebody moved it since.
      settled('baton/mine-too', here.landed),
      settled('baton/shared', here.base),
    ],
    settledLandings: ['l1'],
  };
  const before = await here.repo.snapshot();
  const plan = await sweepRefs(options);
  expect(plan.map(({ ref }) => ref)).toEqual([
    'refs/heads/baton/done',
    'refs/baton/landing/l1',
    'refs/baton/lane/store/baton/gone',
  ]);
  expect(diffSnapshots(before, await here.repo.snapshot())).toEqual([]);
  await sh(here.user, 'update-ref', 'refs/heads/baton/done', here.landed);
  const done = await applySweep(options, plan);
  expect(
    done.map(({ ref }) => ref),
    'a branch that moved since stays',
  ).toEqual(['refs/baton/landing/l1', 'refs/baton/lane/store/baton/gone']);
  expect(await sh(here.user, 'rev-parse', 'baton/done')).toBe(here.landed);
});

test('the lane of a branch goes in the same sweep, unless the branch stays', async () => {
  const here = await landedScene();
  const options = {
    ...{ git, repo: here.user, storeId: 'store', liveTargets: [], settledLandings: [] },
    settledTargets: [{ target: 'baton/run', heads: [here.landed] }],
  };
  await sh(here.user, 'merge', '--quiet', 'baton/run');
  await takeLane({ repo: here.user, target: 'baton/run', epoch: 1 });
  const plan = await sweepRefs(options);
  expect(plan.map(({ ref }) => ref)).toEqual(['refs/heads/baton/run', 'refs/baton/lane/store/baton/run']);
  await sh(here.user, 'update-ref', 'refs/heads/baton/run', here.base);
  expect(await applySweep(options, plan)).toEqual([]);
  await sh(here.user, 'update-ref', 'refs/heads/baton/run', here.landed);
  expect(await applySweep(options, plan)).toEqual(plan);
  expect(await sweepRefs(options)).toEqual([]);
});

test('a patch id survives a clean re-merge and dies with any change, even of white space', async () => {
  const { clone, base } = await userAndClone({ 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' });
  const build = async (targetHead: string, text: string) => {
    const [headCommit = ''] = await work(clone, base, { 'a.txt': text });
    const made = await buildCandidate({
      git,
      clone,
      targetHead,
      startCommit: base,
      headCommit,
      message: 'x',
      trailers: {},
      at,
    });
    return patchIdOf({ git, clone, from: targetHead, to: made.kind === 'clean' ? made.commit : '' });
  };
  const [moved = ''] = await work(clone, base, { 'b.txt': 'moved\n' });
  const id = await build(base, 'one\n  two\n');
  expect(await build(moved, 'one\n  two\n')).toBe(id);
  expect(await build(base, 'one\n    two\n')).not.toBe(id);
});
