import { expect, test } from 'vitest';
import { listChangedPaths } from '../src/index.ts';
import { answers, changeOf } from './helpers/verifying.ts';
import { git } from './helpers/run.ts';

// In parts, so that no scanner takes this file for a leak.
const key = ['AKIA', 'Q3EGRTYUIOPASDFG'].join('');

const verified = async (before: Record<string, string>, after: Record<string, string>) => {
  const change = await changeOf(before, after);
  const changes = await listChangedPaths({ git, clone: change.root, from: change.base, to: change.head });
  return answers(await change.verify({ changes }))['secrets'];
};

test('a key in a small change is found, whichever of its files holds it', async () => {
  expect(await verified({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n' })).toBe(true);
  expect(await verified({ 'a.txt': 'a\n' }, { 'a.txt': 'b\n', 'b.txt': `x ${key} y\n` })).toBe(false);
  expect(await verified({ 'a.txt': 'a\n' }, { 'a.txt': `a\n${key}\n`, 'z.txt': 'z\n' })).toBe(false);
});

test('a key that a small change only moves, or that was there before, is not new', async () => {
  expect(await verified({ 'a.txt': `${key}\n` }, { 'a.txt': `${key}\nmore\n` })).toBe(true);
  expect(await verified({ 'a.txt': `one\n${key}\n` }, { 'a.txt': 'one\n', 'b.txt': `${key}\n` })).toBe(true);
});
