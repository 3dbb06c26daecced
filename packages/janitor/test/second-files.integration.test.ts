import { expect, test } from 'vitest';
import { patchIdOf } from '../src/index.ts';
import { noSecrets } from '../src/checks/no-secrets.ts';
import type { CheckContext } from '../src/checks/check-context.ts';
import { commit, sh, userAndClone, type Files } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

// Put together here, so that no scanner takes this file for a leak.
const key = (letter: string) => ['AKIA', 'QWERTZUIOP23456', letter].join('');
const binary = (text: string) => `\0\u0001${text}\0`;

/** What the look for keys says of a change, made as one commit on files that are there. */
async function looked(before: Files, after: Files): Promise<{ passed: boolean; reason: string }> {
  const { user, base: baseCommit } = await userAndClone(before);
  const candidateCommit = await commit(user, after);
  return noSecrets({ git, repo: user, baseCommit, candidateCommit } as unknown as CheckContext);
}

test('a key is found in each of several files and lines, whatever git takes them for', async () => {
  const found = await looked(
    { '.gitattributes': '*.dat -diff\n*.min binary\n', 'a.txt': 'a\n', 'gone.txt': `${key('A')}\n` },
    {
      'a.txt': `a\nno key\n${key('B')}\n`,
      'data.bin': binary(key('C')),
      'x.dat': `${key('D')}\n`,
      'x.min': `${key('E')}\n`,
      'deep/new.txt': 'nothing\n',
      'gone.txt': null,
    },
  );
  expect(found.passed).toBe(false);
  for (const path of ['a.txt', 'data.bin', 'x.dat', 'x.min']) expect(found.reason).toContain(path);
});

test('a key that only moves is none, but one beside it is', async () => {
  const before = { 'a.txt': `${key('A')}\n`, 'b.txt': 'b\n' };
  expect(await looked(before, { 'a.txt': null, 'c.txt': `${key('A')}\n` })).toMatchObject({ passed: true });
  expect(
    await looked(before, { 'a.txt': null, 'c.txt': `${key('A')}\n`, 'b.txt': `${key('B')}\n` }),
  ).toMatchObject({ passed: false, reason: expect.stringMatching(/: b\.txt \([^)]*\)$/) });
});

test('a change is another one when any of its files is, binary ones and modes too', async () => {
  const { user, base } = await userAndClone({ 'a.txt': 'a\n', 'run.sh': 'true\n', 'x.bin': binary('one') });
  const idOf = async (files: Files, mode?: string, from = base) => {
    await sh(user, 'checkout', '--quiet', '--detach', from);
    await commit(user, files);
    if (mode !== undefined) await sh(user, 'update-index', `--chmod=${mode}`, 'run.sh');
    await sh(user, 'commit', '--quiet', '--amend', '--allow-empty', '--no-edit');
    return patchIdOf({ git, clone: user, from, to: await sh(user, 'rev-parse', 'HEAD') });
  };
  const first = { 'a.txt': 'b\n', 'new.bin': binary('new'), 'x.bin': binary('two') };
  const ids = [
    await idOf(first),
    await idOf({ ...first, 'x.bin': binary('three') }),
    await idOf({ ...first, 'new.bin': binary('other') }),
    await idOf({ ...first, 'new.bin': null }),
    await idOf({ ...first, 'later.txt': 'x\n' }),
    await idOf(first, '+x'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  const moved = await commit(user, { 'elsewhere.txt': 'moved on\n' }).then(async () => {
    await sh(user, 'checkout', '--quiet', '--detach', base);
    return commit(user, { 'elsewhere.txt': 'moved on\n' });
  });
  expect(await idOf(first, undefined, moved)).toBe(ids[0]);
});

test('a change stays the same one when others change the same file far from it, and move it down', async () => {
  const lines = (first: string, last: string) =>
    [first, ...Array.from({ length: 30 }, (_, n) => `line ${n}`), last, ''].join('\n');
  const { user, base } = await userAndClone({ 'a.txt': lines('one', 'end') });
  const idFrom = async (from: string, text: string) => {
    await sh(user, 'checkout', '--quiet', '--detach', from);
    return patchIdOf({ git, clone: user, from, to: await commit(user, { 'a.txt': text }) });
  };
  const id = await idFrom(base, lines('one', 'changed'));
  await sh(user, 'checkout', '--quiet', '--detach', base);
  const moved = await commit(user, { 'a.txt': lines('one\ntwo\nthree', 'end') });
  expect(await idFrom(moved, lines('one\ntwo\nthree', 'changed'))).toBe(id);
  expect(await idFrom(moved, lines('one\ntwo\nthree', 'changed '))).not.toBe(id);
});
