import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { seededRandom, tempDir, testRounds } from '@baton/testkit';
import { expect, test } from 'vitest';
import { readIndexFile } from '../src/git/index-file.ts';
import { quotedByGit } from '../src/git/tree-object.ts';
import { blobsOf, fixed, message, ownClone, quote, randomTree, treeOf } from './support/own-clone.ts';
import { git as plain } from './support/real.ts';

test.each(['sha1', 'sha256'] as const)(
  'an index of any version is read as git lists it, and becomes the tree that git writes (%s)',
  async (format) => {
    await using here = await ownClone(format);
    const random = seededRandom(3);
    const blobs = await blobsOf(here);
    const index = path.join(here.clone.path, 'test-index');
    const env = { GIT_INDEX_FILE: index };
    const read = () => readIndexFile(index, format === 'sha1' ? 20 : 32);
    const own = ['--git-dir', here.clone.path, '--work-tree', here.user, '-c', 'core.excludesFile=/dev/null'];
    const rounds = testRounds({ short: 6, full: 24 });
    for (let round = 0; round < rounds; round += 1) {
      const files = randomTree(random, { blobs, count: Math.floor(random() * 14) });
      await treeOf(here, files);
      await here.run(['update-index', '--index-version', `${2 + (round % 3)}`], { env });
      const [first] = files.keys();
      if (first !== undefined && round % 2 === 0)
        await here.run([...own, 'update-index', '--skip-worktree', '--stdin'], {
          env,
          stdin: `${quote(first)}\n`,
        });
      const listed = await here.run(['-c', 'core.quotePath=true', 'ls-files', '--stage'], { env });
      const mine = [...(read()?.entries ?? [])].map(
        ([file, { mode, id }]) => `${mode} ${id} 0\t${quotedByGit(file)}`,
      );
      expect(mine.join('\n')).toBe(listed);
      const { stdout } = await here.same([...own, 'write-tree'], { env });
      // From here on the index also names the trees that it was read from, but for those of what changes.
      await here.run(['read-tree', stdout.trim()], { env });
      await here.same([...own, 'write-tree'], { env });
      const gone = [...files.keys()].filter((_, at) => at % 3 === round % 3);
      const stdin = [
        ...gone.map((file) => `0 ${'0'.repeat(format === 'sha1' ? 40 : 64)}\t${quote(file)}\n`),
        ...(round % 4 === 0 ? [] : [`100644 ${blobs[0] ?? ''}\tadded/in-${round}/file\n`]),
      ].join('');
      await here.run(['update-index', '--add', '--index-info'], { env, stdin });
      await here.same([...own, 'write-tree'], { env });
    }
    expect(here.processes).toEqual([]);
    expect(await here.run(['fsck', '--strict', '--no-dangling'])).not.toContain('error');
    const stdin = `100644 ${'5'.repeat(format === 'sha1' ? 40 : 64)}\tnot-there\n`;
    await here.run(['update-index', '--add', '--index-info'], { env, stdin });
    await here.same([...own, 'write-tree'], { env });
    expect(here.processes).toHaveLength(1);
  },
  120_000,
);

test('a tree whose folders are gone from the clone is stored again', async () => {
  await using here = await ownClone();
  const [blob = ''] = await blobsOf(here);
  const env = { GIT_INDEX_FILE: path.join(here.clone.path, 'test-index') };
  const own = ['--git-dir', here.clone.path, '--work-tree', here.user, '-c', 'core.excludesFile=/dev/null'];
  const line = `100644 ${blob}\tin/deep/file\n`;
  await here.run(['update-index', '--add', '--index-info'], { env, stdin: line });
  const write = async () =>
    (await here.reading.git([...own, 'write-tree'], { ...here.at, env })).stdout.trim();
  const tree = await write();
  await here.reading.git(['ls-tree', '-r', '-z', '--full-tree', tree], here.at);
  await here.run(['update-ref', 'refs/baton/kept', blob]);
  await here.run(['prune', '--expire=now']);
  expect((await plain(['cat-file', '-e', tree], here.at)).exitCode).not.toBe(0);
  expect(await write()).toBe(tree);
  expect(await here.run(['ls-tree', '-r', '--name-only', tree])).toBe('in/deep/file');
  expect(here.processes).toEqual([]);
  // Also where the index names them, and only its root is to be made.
  await here.run(['read-tree', tree], { env });
  await here.run(['update-index', '--add', '--index-info'], { env, stdin: `100644 ${blob}\tother\n` });
  const whole = await write();
  await here.run(['prune', '--expire=now']);
  expect((await plain(['cat-file', '-e', whole], here.at)).exitCode).not.toBe(0);
  expect(await write()).toBe(whole);
  expect(await here.run(['ls-tree', '-r', '--name-only', whole])).toBe('in/deep/file\nother');
  expect(here.processes).toHaveLength(1);
});

test('what cannot be stored is left to git', async () => {
  await using here = await ownClone();
  const tree = await here.run(['rev-parse', `${here.head}^{tree}`]);
  const args = ['commit-tree', tree, '-p', here.head, '-F', '-'];
  const made = await plain(args, { ...here.at, stdin: message, env: fixed });
  const id = made.stdout.trim();
  rmSync(path.join(here.clone.path, 'objects', id.slice(0, 2), id.slice(2)));
  rmSync(path.join(here.clone.path, 'objects', id.slice(0, 2)), { recursive: true });
  writeFileSync(path.join(here.clone.path, 'objects', id.slice(0, 2)), '');
  await here.same(args, { stdin: message, env: fixed });
  expect(here.processes).toHaveLength(1);
});

test('an index that only git can read is left to git', async () => {
  await using here = await ownClone();
  const [blob = ''] = await blobsOf(here);
  const index = path.join(here.clone.path, 'test-index');
  const env = { GIT_INDEX_FILE: index };
  const begin = async (line: string) => {
    rmSync(index, { force: true });
    await here.run(['update-index', '--add', '--index-info'], { env, stdin: `${line}\n` });
  };
  await begin(`100644 ${blob}\ta`);
  expect(readIndexFile(index, 20)?.entries.size).toBe(1);
  const data = readFileSync(index);
  data[20] = 1 + (data[20] ?? 0);
  writeFileSync(index, data);
  expect(readIndexFile(index, 20), 'another checksum').toBeNull();
  await begin(`100644 ${blob} 1\ta`);
  expect(readIndexFile(index, 20), 'a conflict').toBeNull();
  await begin(`100644 ${blob}\ta`);
  await here.run(['update-index', '--split-index'], { env });
  expect(readIndexFile(index, 20), 'in two parts').toBeNull();
  writeFileSync(path.join(here.user, 'later'), '');
  rmSync(index, { force: true });
  const add = ['--git-dir', here.clone.path, '--work-tree', here.user, 'add', '--intent-to-add', 'later'];
  await plain(add, { cwd: here.user, env });
  expect(readIndexFile(index, 20), 'only announced').toBeNull();
  rmSync(index);
  expect(readIndexFile(index, 20)).toBeNull();
  writeFileSync(index, 'DIRC');
  expect(readIndexFile(index, 20)).toBeNull();
});

test('a commit that is stored without a process is the one that git makes', async () => {
  for (const format of ['sha1', 'sha256'] as const) {
    await using here = await ownClone(format);
    const head = here.head;
    const tree = await here.run(['rev-parse', `${head}^{tree}`]);
    const asked = [
      { stdin: message, args: ['-p', head] },
      { stdin: 'no line break', args: ['-p', head] },
      { stdin: '', args: [] },
      { stdin: 'trailing   \n\n\n', args: ['-p', head] },
      { stdin: '\n\nlate subject\n', args: ['-p', head] },
    ];
    for (const { stdin, args } of asked) {
      const made = await here.reading.git(['commit-tree', tree, ...args, '-F', '-'], {
        ...here.at,
        stdin,
        env: fixed,
      });
      const id = made.stdout.trim();
      expect(here.processes, 'no process').toEqual([]);
      const shown = await here.run(['cat-file', '-t', id]);
      expect(shown).toBe('commit');
      await here.same(['commit-tree', tree, ...args, '-F', '-'], { stdin, env: fixed });
    }
    const named = { GIT_AUTHOR_NAME: 'Ünal Özer', GIT_AUTHOR_EMAIL: 'u.o@example.org', ...fixed };
    await here.same(['commit-tree', tree, '-p', head, '-F', '-'], { stdin: message, env: named });
    expect(here.processes).toEqual([]);
    await here.run(['fsck', '--strict']);
  }
});

test('what git would not take as it is goes to git', async () => {
  await using here = await ownClone();
  const head = here.head;
  const tree = await here.run(['rev-parse', `${head}^{tree}`]);
  const blob = await here.run(['rev-parse', `${head}:a.txt`]);
  const commit = (more: string[], env: Record<string, string> = fixed, stdin = message) =>
    here.same(['commit-tree', ...more, '-F', '-'], { stdin, env });
  await commit([tree, '-p', head], { ...fixed, GIT_AUTHOR_NAME: '. <odd>, ' });
  await commit([tree, '-p', head, '-p', head]);
  await commit([blob, '-p', head]);
  await commit([tree, '-p', tree]);
  await commit([tree, '-p', 'HEAD']);
  await commit([tree, '-p', head], fixed, 'nul \0 byte');
  await commit([`${tree.slice(0, 10)}`, '-p', head]);
  await commit(['0'.repeat(40), '-p', head]);
  expect(here.processes).toHaveLength(8);
});

test('nothing is stored without git in a repository that is not ours, or whose settings are not the usual ones', async () => {
  await using here = await ownClone();
  const head = here.head;
  const tree = await here.run(['rev-parse', `${head}^{tree}`]);
  const args = ['commit-tree', tree, '-p', head, '-F', '-'];
  await here.reading.git(args, { cwd: here.user, stdin: message, env: fixed });
  expect(here.processes).toHaveLength(1);
  await here.run(['config', 'i18n.commitEncoding', 'latin1']);
  await here.same(args, { stdin: message, env: fixed });
  expect(here.processes).toHaveLength(2);
});

test('subjects of one commit, and whether a commit leads to itself, are known without a process', async () => {
  await using here = await ownClone();
  const head = here.head;
  const tree = await here.run(['rev-parse', `${head}^{tree}`]);
  const made = async (stdin: string, parent = head) =>
    here.run(['commit-tree', tree, '-p', parent, '-F', '-'], { stdin, env: fixed });
  const log = (from: string, to: string) =>
    here.same(['log', '--reverse', '--max-count=50', '--format=%s', `${from}..${to}`]);
  const first = await made(message);
  await log(head, first);
  await log(head, await made('plain'));
  await here.same(['merge-base', '--is-ancestor', head, head]);
  expect(here.processes).toEqual([]);
  const odd = [
    'two\nlines\n\nbody',
    '  indented\n',
    'trailing  \n\nx',
    '\n\nlate',
    '',
    'cr\r\nx',
    '\u00a0space\n',
  ];
  for (const text of odd) await log(head, await made(text));
  await log(head, await made('second', first));
  await here.same(['merge-base', '--is-ancestor', head, first]);
  await here.same(['merge-base', '--is-ancestor', tree, tree]);
  await here.same(['merge-base', '--is-ancestor', '1'.repeat(40), '1'.repeat(40)]);
  expect(here.processes.length).toBeGreaterThan(6);
});

test('a ref of a clone is set without a process, and git refuses what it refuses', async () => {
  await using here = await ownClone();
  const refs = () => here.run(['for-each-ref', 'refs/baton/attempts', 'refs/baton/other']);
  const next = await here.run(['commit-tree', await treeOf(here, new Map()), '-m', 'x'], { env: fixed });
  const set = (...args: string[]) => here.reading.git(['update-ref', ...args], here.at);
  for (const commit of [here.head, next, here.head])
    await Promise.all([set('refs/baton/attempts/t/1', commit), set('refs/baton/attempts/t/2', next)]);
  expect(here.processes).toEqual([]);
  expect((await refs()).split('\n').map((line) => line.split(' ')[0])).toEqual([here.head, next]);
  await here.run(['pack-refs', '--all']);
  await set('refs/baton/attempts/t/1', next);
  expect((await refs()).split('\n').map((line) => line.split(' ')[0])).toEqual([next, next]);
  await set('refs/baton/attempts/t/1', here.head, next);
  await set('refs/baton/attempts/t/4', here.head, '0'.repeat(40));
  await set('-d', 'refs/baton/attempts/t/4', here.head);
  expect((await refs()).split('\n').map((line) => line.split(' ')[0])).toEqual([here.head, next]);
  expect(here.processes.splice(0)).toHaveLength(1);
  // It named something else before, so git itself refuses.
  for (const before of [next, '0'.repeat(40)]) {
    expect((await set('refs/baton/attempts/t/1', next, before)).exitCode).not.toBe(0);
    expect(here.processes.splice(0)).toHaveLength(1);
  }
  await set('refs/baton/attempts/t/1', next);
  // Below a ref, and to what is not there: git says so itself, and the next one is set without a process again.
  await here.same(['update-ref', 'refs/baton/attempts/t/1/below', next]);
  await here.same(['update-ref', 'refs/baton/attempts/t/3', '4'.repeat(40)]);
  expect(here.processes).toHaveLength(2);
  await set('refs/baton/attempts/t/3', next);
  await set('-d', 'refs/baton/attempts/t/3');
  await here.reading.git(['update-ref', 'refs/baton/other', here.head], { cwd: here.user });
  expect(here.processes).toHaveLength(4);
  expect((await refs()).split('\n')).toHaveLength(2);
  const locks = readdirSync(path.join(here.clone.path, 'refs/baton/attempts/t')).filter((name) =>
    name.endsWith('.lock'),
  );
  expect(locks).toEqual([]);
});

test('a reader that began with other settings or another repository is asked no more', async () => {
  await using here = await ownClone();
  const other = await here.run(['commit-tree', await treeOf(here, new Map()), '-m', 'x'], { env: fixed });
  await plain(['init', '--quiet', '--bare', `${here.user}/lent`], { cwd: here.user });
  const lent = `${here.user}/lent/objects`;
  const alternates = path.join(here.clone.path, 'objects/info/alternates');
  const hidden = (
    await plain(['hash-object', '-w', '--stdin'], { cwd: `${here.user}/lent`, stdin: 'lent' })
  ).stdout.trim();
  const ask = () => here.reading.git(['cat-file', '-e', hidden], here.at);
  writeFileSync(alternates, `${lent}\n`);
  expect((await ask()).exitCode).toBe(0);
  expect(here.processes).toEqual([]);
  rmSync(alternates);
  expect((await ask()).exitCode).not.toBe(0);
  await here.same(['ls-tree', '-r', '-z', '--full-tree', other]);
  renameSync(here.clone.path, `${here.clone.path}.aside`);
  await plain(['init', '--quiet', '--bare', here.clone.path], { cwd: here.user });
  const gone = await here.same(['ls-tree', '-r', '-z', '--full-tree', other]);
  expect(gone.exitCode).toBe(128);
});

test('readers are bounded in number, and none is left when they are closed', async () => {
  await using here = await ownClone();
  const stack = new AsyncDisposableStack();
  await using _ = stack;
  const { path: folder } = stack.use(await tempDir());
  for (let at = 0; at < 20; at += 1) {
    const cwd = path.join(folder, `r${at}`);
    mkdirSync(cwd);
    await plain(['init', '--quiet'], { cwd });
    await here.reading.git(['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd });
  }
  expect(here.reading.running()).toBeLessThanOrEqual(16);
  here.reading.close();
  expect(here.reading.running()).toBe(0);
});
