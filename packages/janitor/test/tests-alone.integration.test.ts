import { expect, test } from 'vitest';
import { listChangedPaths, testsAlone } from '../src/index.ts';
import { sh, userAndClone, work } from './helpers/repos.ts';
import { git } from './helpers/run.ts';

const files = { 'src/sum.js': 'a\n', 'test/sum.test.js': 'old\n', 'test/gone.test.js': 'x\n' };

async function alone(of: Parameters<typeof work>[2], given: Parameters<typeof userAndClone>[0] = files) {
  const { clone, base } = await userAndClone(given);
  const [head = ''] = await work(clone, base, of);
  const changes = await listChangedPaths({ git, clone, from: base, to: head });
  const made = await testsAlone({ git, clone, onto: base, changes });
  if (made === null) return null;
  const changed = await sh(clone, 'diff', '--name-status', base, made.commit);
  expect(await sh(clone, 'rev-parse', `${made.commit}^`, `${made.commit}^{tree}`)).toBe(
    `${base}\n${made.tree}`,
  );
  return changed.split('\n');
}

test('the tests of a change are taken over with what they load and are held against, and nothing else', async () => {
  expect(
    await alone({
      'src/sum.js': 'b\n',
      'package.json': '{}\n',
      'test/sum.test.js': 'new\n',
      'test/gone.test.js': null,
      'test/with space é.test.js': 'more\n',
      'test/data/table.json': '[]\n',
      'src/__snapshots__/sum.test.js.snap': 'snap\n',
      'conftest.py': 'fixture\n',
    }),
  ).toEqual([
    'A\tconftest.py',
    'A\tsrc/__snapshots__/sum.test.js.snap',
    'A\ttest/data/table.json',
    'D\ttest/gone.test.js',
    'M\ttest/sum.test.js',
    expect.stringMatching(/^A\t"?test\/with space/),
  ]);
});

test.each([
  ['no test', { 'src/sum.js': 'b\n' }],
  ['nothing but tests', { 'test/sum.test.js': 'new\n' }],
  ['a test that it only removes', { 'src/sum.js': 'b\n', 'test/sum.test.js': null }],
  [
    'a test that it only moves',
    { 'src/sum.js': 'b\n', 'test/gone.test.js': null, 'test/moved.test.js': 'x\n' },
  ],
  ['data of tests alone', { 'src/sum.js': 'b\n', 'test/data/table.json': '[]\n' }],
])('a change with %s shows nothing', async (_, of) => {
  expect(await alone(of)).toBeNull();
});
