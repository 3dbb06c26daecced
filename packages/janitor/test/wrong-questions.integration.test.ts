import { expect, test } from 'vitest';
import { verifyTree, type VerifyOptions } from '../src/index.ts';
import { sh } from './helpers/repos.ts';
import { changeOf, gate } from './helpers/verifying.ts';

const red = gate('tests', 'false');
const { required: _, ...uncounted } = red;

const odd: [string, object][] = [
  ['a gate that does not say whether it is required', { gates: [uncounted] }],
  ['a gate that is required by a text', { gates: [{ ...red, required: 'no' }] }],
  ['a gate without a command', { gates: [{ ...red, command: undefined }] }],
  ['a gate whose command is a text', { gates: [{ ...red, command: 'false' }] }],
  ['a time limit of NaN', { gates: [{ ...red, timeout: Number.NaN }] }],
  ['no gates', { gates: undefined, gatez: [red] }],
  ['a gate that is null', { gates: [null] }],
  ['gates by name', { gates: { tests: red } }],
  ['a text of allowed reds that holds the name', { gates: [red], allowRed: 'tests,lint' }],
  ['no signals', { signals: undefined }],
  ['a signal that there is not', { signals: [{ type: 'looks_good' }] }],
  ['a limit of files of NaN', { maxFileBytes: Number.NaN }],
  ['a limit of files below 0', { maxFileBytes: -1 }],
  ['changed paths that are left out', { changedPaths: undefined }],
  ['owned files without a list', { owned: {} }],
  ['no environment', { env: undefined }],
  ['no clock', { clock: undefined }],
  ['no tree', { tree: '' }],
  ['a candidate by name', { candidateCommit: 'HEAD' }],
  ['no candidate', { candidateCommit: undefined }],
  ['a base by name', { baseCommit: 'main' }],
];

test.each(odd)('nothing is verified for a question with %s', async (_, part) => {
  const change = await changeOf({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
  await expect(change.verify(part as Partial<VerifyOptions>)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    fix: expect.stringMatching(/VerifyOptions|git rev-parse/),
  });
});

test('nothing is verified without a question', async () => {
  await expect(verifyTree(undefined as unknown as VerifyOptions)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
});

test('a candidate that is given as its own base does not pass: its keys would be seen by no check', async () => {
  const key = `AKIA${'Q'.repeat(16)}`;
  const change = await changeOf({ 'a.txt': 'a\n' }, { 'a.txt': `${key}\n` });
  expect(await change.verify({ baseCommit: change.head })).toMatchObject({
    passed: false,
    reasons: [expect.stringContaining('its own base')],
  });
});

test('a base as it is, and work that changed nothing, have one commit for both', async () => {
  const change = await changeOf({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' });
  const same = { baseCommit: change.head };
  expect((await change.verify({ ...same, changedPaths: null, gates: [gate('g', 'true')] })).passed).toBe(
    true,
  );
  const unchanged = { ...same, changedPaths: [], signals: [{ type: 'path_exists', path: 'a.txt' }] as const };
  expect((await change.verify(unchanged)).passed).toBe(true);
  expect(await sh(change.root, 'status', '--porcelain')).toBe('');
});
