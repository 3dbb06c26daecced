import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { seededRandom, tempDir } from '@baton/testkit';
import type { Git } from '@baton/contracts';
import { expect, test } from 'vitest';
import { createReadingGit, openClone } from '../src/index.ts';
import { git as plain } from './support/real.ts';

type Format = 'sha1' | 'sha256';

/** A clone of Baton's own, a reading git, and the commands that really became a process. */
async function ownClone(format: Format = 'sha1') {
  const stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await tempDir());
  const user = path.join(folder, 'user');
  mkdirSync(user);
  const text = async (
    cwd: string,
    args: string[],
    more: { stdin?: string; env?: Record<string, string> } = {},
  ) => {
    const result = await plain(args, { cwd, ...more });
    expect(result.exitCode, `${args.join(' ')}: ${result.stderr}`).toBe(0);
    return result.stdout.replace(/\n$/, '');
  };
  await text(user, ['init', '--quiet', '--initial-branch=main', `--object-format=${format}`]);
  writeFileSync(path.join(user, 'a.txt'), 'a\n');
  await text(user, ['add', '.']);
  await text(user, ['commit', '--quiet', '-m', 'first']);
  const stateDir = path.join(folder, 'state');
  const clone = await openClone({ git: plain, stateDir, repoId: 'r', location: user });
  const processes: string[][] = [];
  const counted: Git = (args, options) => {
    processes.push([...args]);
    return plain(args, options);
  };
  const made = createReadingGit({ git: counted, env: process.env, stateDir });
  stack.defer(() => made.close());
  const at = { cwd: clone.path };
  const head = await clone.fetchTarget('main');
  const run = (args: string[], more: { stdin?: string; env?: Record<string, string> } = {}) =>
    text(clone.path, args, more);
  /** Asks both and compares all that callers look at. */
  const same = async (args: string[], more: { stdin?: string; env?: Record<string, string> } = {}) => {
    const [mine, theirs] = [await made.git(args, { ...at, ...more }), await plain(args, { ...at, ...more })];
    expect([mine.exitCode, mine.stdout], args.join(' ')).toEqual([theirs.exitCode, theirs.stdout]);
    return mine;
  };
  return {
    clone,
    user,
    head,
    processes,
    run,
    same,
    reading: made,
    at,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type Here = Awaited<ReturnType<typeof ownClone>>;

/** Names that git quotes, sorts oddly next to folders, or that are no text. */
const names = [
  'a',
  'a.txt',
  'a-b',
  'A',
  'b',
  'c d',
  'ä',
  '日',
  '"q"',
  '\\\\x',
  '\\303',
  '\\377',
  'tab\\t',
  '.x',
];
const modes = ['100644', '100644', '100644', '100755', '120000', '160000'];

const quote = (name: string): string => `"${name.replaceAll('"', '\\"').replaceAll('\\\\"', '\\"')}"`;

/** A tree at random, as lines of an index by path; no path lies below another. */
function randomTree(random: () => number, { blobs, count }: { blobs: readonly string[]; count: number }) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const files = new Map<string, string>();
  for (let at = 0; at < count; at += 1) {
    const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(names));
    put(files, parts.join('/'), `${pick(modes)} ${pick(blobs)}`);
  }
  return files;
}

function put(files: Map<string, string>, file: string, entry: string): void {
  for (const other of [...files.keys()])
    if (other.startsWith(`${file}/`) || file.startsWith(`${other}/`)) return;
  files.set(file, entry);
}

async function treeOf(here: Here, files: ReadonlyMap<string, string>): Promise<string> {
  const env = { GIT_INDEX_FILE: path.join(here.clone.path, 'test-index') };
  await here.run(['read-tree', '--empty'], { env });
  const stdin = [...files].map(([file, entry]) => `${entry}\t${quote(file)}\n`).join('');
  await here.run(['update-index', '--add', '--index-info'], { env, stdin });
  return here.run(['write-tree', '--missing-ok'], { env });
}

async function blobsOf(here: Here): Promise<string[]> {
  return Promise.all(
    ['one\n', 'two\n', 'three\n', ''].map((stdin) => here.run(['hash-object', '-w', '--stdin'], { stdin })),
  );
}

const fixed = { GIT_AUTHOR_DATE: '@1700000000 +0000', GIT_COMMITTER_DATE: '@1700000000 +0000' };

test.each(['sha1', 'sha256'] as const)(
  'trees of any form are compared and listed as git does, without a process (%s)',
  async (format) => {
    await using here = await ownClone(format);
    const random = seededRandom(7);
    const blobs = await blobsOf(here);
    let last = await treeOf(here, new Map());
    for (let round = 0; round < 25; round += 1) {
      const tree = await treeOf(here, randomTree(random, { blobs, count: Math.floor(random() * 14) }));
      const commit = await here.run(['commit-tree', tree, '-m', 'x'], { env: fixed });
      for (const [from, to] of [
        [last, tree],
        [tree, last],
        [last, commit],
      ] as const) {
        await here.same(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to]);
        await here.same(['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', from, to]);
      }
      await here.same(['ls-tree', '-r', '-z', '--full-tree', commit]);
      await here.same(['-c', 'core.quotePath=true', 'ls-tree', '-r', '-d', '--full-tree', commit]);
      last = tree;
    }
    expect(here.processes).toEqual([]);
  },
  60_000,
);

test.each(['sha1', 'sha256'] as const)(
  'two children of a commit are merged to the tree that git makes of them (%s)',
  async (format) => {
    await using here = await ownClone(format);
    const random = seededRandom(11);
    const blobs = await blobsOf(here);
    let asked = 0;
    for (let round = 0; round < 40; round += 1) {
      const base = randomTree(random, { blobs, count: 10 });
      const root = await commitOf(here, base, []);
      const sides = [0, 1].map(() => sideOf(random, { base, blobs, isTame: round % 2 === 0 }));
      const [ours = '', theirs = ''] = [
        await commitOf(here, sides[0] ?? base, [root]),
        await commitOf(here, sides[1] ?? base, [root]),
      ];
      await here.same(['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs]);
      asked += 1;
    }
    // What may conflict is git's; enough is not.
    expect(here.processes.length).toBeGreaterThan(5);
    expect(here.processes.length).toBeLessThan(asked - 8);
    expect(await here.run(['fsck', '--strict', '--no-dangling'])).not.toContain('error');
  },
  120_000,
);

async function commitOf(here: Here, files: ReadonlyMap<string, string>, parents: readonly string[]) {
  const tree = await treeOf(here, files);
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'x'];
  return here.run(args, { env: fixed });
}

/** What somebody made of a tree; a tame one only adds and changes. */
function sideOf(
  random: () => number,
  { base, blobs, isTame }: { base: ReadonlyMap<string, string>; blobs: readonly string[]; isTame: boolean },
): Map<string, string> {
  const files = new Map(base);
  for (const [file, entry] of randomTree(random, { blobs, count: 3 })) put(files, file, entry);
  const some = [...base.keys()].filter(() => random() < 0.15);
  for (const file of some) {
    if (!isTame && random() < 0.5) files.delete(file);
    else
      files.set(file, `${(files.get(file) ?? '').slice(0, 6)} ${blobs[Math.floor(random() * blobs.length)]}`);
  }
  return files;
}

const message = 'A subject\n\nBody, with ünicode 日本.\n\nTask-Id: 1\n';

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

test('contents of small objects are printed as git prints them, larger ones by git', async () => {
  await using here = await ownClone();
  const blobs = await blobsOf(here);
  const odd = await here.run(['hash-object', '-w', '--stdin'], { stdin: 'é\u0000 missing\n\n' });
  const large = await here.run(['hash-object', '-w', '--stdin'], { stdin: 'x'.repeat(5_000_000) });
  const ask = (...ids: string[]) =>
    here.same(['cat-file', '--batch'], { stdin: ids.map((id) => `${id}\n`).join('') });
  await ask(...blobs, odd, here.head);
  expect(here.processes).toEqual([]);
  await ask(odd, large);
  await ask(odd, '3'.repeat(40));
  await ask('HEAD');
  expect(here.processes).toHaveLength(3);
});

test('objects that are gone, packed or come later are seen as git sees them', async () => {
  await using here = await ownClone();
  const head = here.head;
  const diff = (to: string) =>
    here.same(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', head, to]);
  const tree = await treeOf(here, new Map([['n/x', `100644 ${(await blobsOf(here))[0]}`]]));
  await diff(tree);
  await here.run(['repack', '-a', '-d', '--quiet']);
  await diff(head);
  await diff(tree);
  await here.run(['prune', '--expire=now']);
  const gone = await diff(tree);
  expect(gone.exitCode).toBe(128);
  await diff('2'.repeat(40));
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
  expect((await ask()).exitCode).not.toBe(0);
  writeFileSync(alternates, `${lent}\n`);
  expect((await ask()).exitCode).toBe(0);
  rmSync(alternates);
  expect((await ask()).exitCode).not.toBe(0);
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
