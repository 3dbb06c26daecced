import { expect, test } from 'vitest';
import { buildCandidate } from '../src/index.ts';
import { at } from './helpers/landing.ts';
import { sh, userAndClone, work } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' };
const options = {
  git,
  message: 'Change things\n\nIn full.',
  trailers: { 'Task-Id': 't1', Attempt: '2\nEvil: yes' },
  at,
};

test('a range is merged onto a target that moved on, as one commit with its trailers', async () => {
  const { clone, base } = await userAndClone(files);
  const [first = '', second = ''] = await work(clone, base, { 'a.txt': 'one\n' }, { 'new.txt': 'two\n' });
  const [moved = ''] = await work(clone, base, { 'b.txt': 'moved\n' });
  const made = await buildCandidate({
    ...options,
    clone,
    targetHead: moved,
    startCommit: base,
    headCommit: second,
  });
  expect(made).toMatchObject({ kind: 'clean', changedPaths: ['a.txt', 'new.txt'] });
  if (made.kind !== 'clean') return;
  expect(await sh(clone, 'rev-parse', `${made.commit}^`, `${made.commit}^{tree}`)).toBe(
    `${moved}\n${made.tree}`,
  );
  expect(await sh(clone, 'show', `${made.commit}:b.txt`)).toBe('moved');
  expect(await sh(clone, 'show', `${made.commit}:a.txt`)).toBe('one');
  expect(await sh(clone, 'log', '-1', '--format=%B', made.commit)).toBe(
    'Change things\n\nIn full.\n\nTask-Id: t1\nAttempt: 2 Evil: yes',
  );
  expect(first).not.toBe(second);
});

test('the same inputs give the same commit, so building it again after a crash is harmless', async () => {
  const { clone, base } = await userAndClone(files);
  const [head = ''] = await work(clone, base, { 'a.txt': 'one\n' });
  const [moved = ''] = await work(clone, base, { 'b.txt': 'moved\n' });
  const build = () =>
    buildCandidate({ ...options, clone, targetHead: moved, startCommit: base, headCommit: head });
  expect(await build()).toEqual(await build());
});

test('an earlier, rejected task of the same batch is kept out of the candidate', async () => {
  const { clone, base } = await userAndClone(files);
  const [rejected = '', later = ''] = await work(
    clone,
    base,
    { 'a.txt': 'rejected\n', 'bad.txt': 'bad\n' },
    { 'c.txt': 'later\n' },
  );
  const made = await buildCandidate({
    ...options,
    clone,
    targetHead: base,
    startCommit: rejected,
    headCommit: later,
  });
  expect(made).toMatchObject({ kind: 'clean', changedPaths: ['c.txt'] });
  if (made.kind !== 'clean') return;
  expect(await sh(clone, 'ls-tree', '--name-only', made.commit)).toBe('a.txt\nb.txt\nc.txt');
  expect(await sh(clone, 'show', `${made.commit}:a.txt`)).toBe('a');
});

test('a task that builds on a rejected one conflicts with the files they share', async () => {
  const { clone, base } = await userAndClone(files);
  const [rejected = '', later = ''] = await work(
    clone,
    base,
    { 'a.txt': 'rejected\n' },
    { 'a.txt': 'rejected and more\n', 'b.txt': 'x\n' },
  );
  const made = await buildCandidate({
    ...options,
    clone,
    targetHead: base,
    startCommit: rejected,
    headCommit: later,
  });
  expect(made).toEqual({ kind: 'conflict', files: ['a.txt'] });
});

test('a conflict names every file, also for a deletion against an edit', async () => {
  const { clone, base } = await userAndClone(files);
  const [head = ''] = await work(clone, base, {
    'a.txt': 'mine\n',
    'b.txt': null,
    'odd name\u00e4.txt': 'mine\n',
  });
  const [moved = ''] = await work(clone, base, {
    'a.txt': 'theirs\n',
    'b.txt': 'theirs\n',
    'odd name\u00e4.txt': 'theirs\n',
  });
  const made = await buildCandidate({
    ...options,
    clone,
    targetHead: moved,
    startCommit: base,
    headCommit: head,
  });
  expect(made).toEqual({ kind: 'conflict', files: ['a.txt', 'b.txt', 'odd name\u00e4.txt'] });
});

test('an empty range, and work that the target already holds, leave nothing to land', async () => {
  const { clone, base } = await userAndClone(files);
  const tree = await sh(clone, 'rev-parse', `${base}^{tree}`);
  const none = await buildCandidate({
    ...options,
    clone,
    targetHead: base,
    startCommit: base,
    headCommit: base,
  });
  expect(none).toEqual({ kind: 'empty', commit: base, tree, changes: [], changedPaths: [] });
  const [head = ''] = await work(clone, base, { 'a.txt': 'same\n' });
  const [moved = ''] = await work(clone, base, { 'a.txt': 'same\n', 'b.txt': 'more\n' });
  const known = await buildCandidate({
    ...options,
    clone,
    targetHead: moved,
    startCommit: base,
    headCommit: head,
  });
  expect(known).toMatchObject({ kind: 'empty', commit: moved });
});

test('an unknown commit is an error, never a conflict', async () => {
  const { clone, base } = await userAndClone(files);
  const build = buildCandidate({
    ...options,
    clone,
    targetHead: base,
    startCommit: base,
    headCommit: 'f'.repeat(40),
  });
  await expect(build).rejects.toMatchObject({ code: 'GIT_FAILED' });
});

test.each([
  ['the target moved the file', 'moved', 'edited'],
  ['the work moved the file', 'edited', 'moved'],
] as const)(
  'a file that one side moves and the other changes, and puts something at its new place, is a conflict, whatever git exits with: %s',
  async (_, onTarget, inWork) => {
    const text = Array.from({ length: 12 }, (_line, at) => `line ${at}\n`).join('');
    const { clone, base } = await userAndClone({ 'one.txt': text });
    const sides = {
      moved: { 'one.txt': null, 'moved.txt': `${text}moved\n` },
      edited: { 'one.txt': 'something else\n', 'moved.txt': `${text}moved\n` },
    };
    const [targetHead = ''] = await work(clone, base, sides[onTarget]);
    const [headCommit = ''] = await work(clone, base, sides[inWork]);
    const made = await buildCandidate({ ...options, clone, targetHead, startCommit: base, headCommit });
    expect(made).toEqual({ kind: 'conflict', files: ['moved.txt', 'one.txt'] });
  },
);
