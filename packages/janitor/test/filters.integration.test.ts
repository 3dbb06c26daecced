import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import { expect, test } from 'vitest';
import { noRawContent } from '../src/checks/no-raw-content.ts';
import { filteredPaths } from '../src/index.ts';
import { commit, userAndClone } from './helpers/repos.ts';
import { answers, changeOf } from './helpers/verifying.ts';
import { git } from './helpers/run.ts';

const key = '*.key filter=crypt diff=crypt\n';
const refused = 'leave these files as they are, and change them by hand where the filter is set up';

test.each([
  ['the attributes of the base', { '.gitattributes': key }, { 'n.key': 'secret\n' }],
  ['attributes in a subfolder', { 'src/.gitattributes': key }, { 'src/deep/n.key': 'secret\n' }],
  ['a macro', { '.gitattributes': '[attr]hidden filter=crypt\n*.key hidden\n' }, { 'n.key': 'secret\n' }],
  ['attributes that the change itself brings', { 'a.txt': 'a\n' }, { '.gitattributes': key, 'n.key': 's\n' }],
  [
    'attributes that the change removes',
    { '.gitattributes': key },
    { '.gitattributes': '*.key text\n', 'n.key': 's\n' },
  ],
  [
    'attributes that the change overrides below',
    { '.gitattributes': key },
    { 'src/.gitattributes': '*.key !filter\n', 'src/n.key': 's\n' },
  ],
  ['a file that stood there', { '.gitattributes': key, 'n.key': 'cipher\n' }, { 'n.key': 'secret\n' }],
  [
    'an LFS pointer to an object that nobody has',
    { '.gitattributes': '*.key filter=lfs\n' },
    { 'n.key': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 5\n` },
  ],
])('raw content is refused where a filter is named by %s', async (_, before, after) => {
  const change = await changeOf({ 'readme.txt': 'x\n', ...before }, after);
  const verdict = await change.verify();
  expect(verdict.passed).toBe(false);
  expect(answers(verdict)['filters']).toBe(false);
  expect(verdict.reasons.join()).toContain('n.key');
  expect(verdict.reasons.join()).toContain(refused);
});

test.each([
  ['another file', { 'a.txt': 'b\n' }],
  ['a deletion', { 'n.key': null, 'a.txt': 'b\n' }],
  ['a move of what is stored', { 'n.key': null, 'm.key': 'cipher\n' }],
  ['a file whose filter is taken off again', { 'open.key': 'plain\n' }],
])('%s lands beside files with a filter', async (_, after) => {
  const before = { '.gitattributes': `${key}open.key -filter\n`, 'n.key': 'cipher\n', 'a.txt': 'a\n' };
  const change = await changeOf(before, after as Record<string, string>);
  expect(await change.verify()).toMatchObject({ passed: true });
});

test('attributes that the user keeps for their own repository count, also against those of the tree', async () => {
  const change = await changeOf(
    { '.gitattributes': '*.key !filter\n', 'a.txt': 'a\n' },
    { 'n.key': 'secret\n' },
  );
  expect(await change.verify()).toMatchObject({ passed: true });
  const attributesFile = path.join(change.root, '..', 'attributes');
  mkdirSync(path.dirname(attributesFile), { recursive: true });
  writeFileSync(attributesFile, key);
  const verdict = await change.verify({ attributesFile });
  expect(verdict.reasons.join()).toContain(
    "filters: the repository's own .git/info/attributes names the filter crypt for n.key;",
  );
});

test('each file with a filter is named with the attributes that give it the filter, those of the tree or of the user', async () => {
  const change = await changeOf(
    { '.gitattributes': 'm.key filter=lock\n', 'a.txt': 'a\n' },
    { 'm.key': 'm\n', 'caf\u00e9.key': 'n\n' },
  );
  const attributesFile = path.join(change.root, '..', 'attributes');
  mkdirSync(path.dirname(attributesFile), { recursive: true });
  writeFileSync(attributesFile, key);
  const verdict = await change.verify({ attributesFile });
  expect(verdict.reasons.join()).toContain(
    ".gitattributes names the filter lock for m.key, and the repository's own .git/info/attributes names the filter crypt for caf\u00e9.key;",
  );
});

test('all files of a tree that have a filter are listed with its name', async () => {
  const change = await changeOf(
    {
      '.gitattributes': key,
      'n.key': 'x',
      'b/ü\n.key': 'x',
      'a.txt': 'x',
      'c/.gitattributes': '*.bin filter=lfs\n',
    },
    { 'c/d.bin': 'x' },
  );
  const found = await filteredPaths({
    git,
    repo: change.root,
    tree: change.head,
    paths: null,
    attributesFile: null,
  });
  expect(found.map((one) => `${one.filter} ${one.path}`).sort()).toEqual([
    'crypt b/ü\n.key',
    'crypt n.key',
    'lfs c/d.bin',
  ]);
});

test.skipIf(process.platform === 'darwin')(
  'of two files with names that are no UTF-8, the one with a filter is found',
  async () => {
    const { user: root } = await userAndClone({ 'readme.txt': 'x\n' });
    const named = (byte: string): Buffer =>
      Buffer.concat([Buffer.from(`${root}/`), Buffer.from(byte, 'latin1')]);
    writeFileSync(path.join(root, '.gitattributes'), Buffer.from('caf\xe9.* filter=crypt\n', 'latin1'));
    writeFileSync(named('caf\xe8.txt'), 'plain\n');
    writeFileSync(named('caf\xe9.txt'), 'secret\n');
    const tree = await commit(root, {});
    const ask = (paths: string[] | null) =>
      filteredPaths({ git, repo: root, tree, paths, attributesFile: null });
    const found = [{ path: String.raw`caf\351.txt`, filter: 'crypt' }];
    expect(await ask(null)).toEqual(found);
    expect(await ask([String.raw`caf\350.txt`, String.raw`caf\351.txt`])).toEqual(found);
    writeFileSync(named('caf\xe9.txt'), 'more\n');
    const head = await commit(root, {});
    const change = { git, repo: root, baseCommit: tree, candidateCommit: head };
    expect(await noRawContent(change as never)).toMatchObject({ passed: false });
  },
);

test('whatever commits in a row change, each file with a filter is found, and no tree is listed twice', async () => {
  const { user: root, base } = await userAndClone({ 'src/.gitattributes': key, 'a.txt': 'a\n' });
  let listed = 0;
  const counting: Git = (args, options) => {
    if (args.includes('ls-tree')) listed += 1;
    return git(args, options);
  };
  const steps: [files: Record<string, string | null>, isListed: boolean, filtered: string[]][] = [
    [{ 'src/n.key': 'x\n' }, true, ['src/n.key']],
    [{ 'a.txt': 'aa\n', 'n.key': 'x\n' }, false, ['src/n.key']],
    [{ '.gitattributes': key }, true, ['n.key', 'src/n.key']],
    [{ 'a.txt': 'aaa\n' }, false, ['n.key', 'src/n.key']],
    [{ 'src/.gitattributes': null }, true, ['n.key', 'src/n.key']],
    [{ '.gitattributes': '*.key -filter\n' }, true, []],
    [{ 'n.key': 'y\n' }, false, []],
  ];
  let before = base;
  for (const [files, isListed, filtered] of steps) {
    const tree = await commit(root, files);
    const like = { tree: before, changes: Object.keys(files) };
    const paths = ['n.key', 'src/n.key'];
    listed = 0;
    const found = await filteredPaths({
      ...{ git: counting, repo: root, tree, like, paths, attributesFile: null },
    });
    expect(found.map((one) => one.path)).toEqual(filtered);
    expect(listed > 0, `a listing after ${Object.keys(files).join(' ')}`).toBe(isListed);
    before = tree;
  }
});
