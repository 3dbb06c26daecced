import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import type { Git } from '@baton/contracts';
import { expect } from 'vitest';
import { createReadingGit, openClone } from '../../src/index.ts';
import { git as plain } from './real.ts';

type Format = 'sha1' | 'sha256';

/** A clone of Baton's own, a reading git, and the commands that really became a process. */
export async function ownClone(format: Format = 'sha1') {
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

export type Here = Awaited<ReturnType<typeof ownClone>>;

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

export const quote = (name: string): string => `"${name.replaceAll('"', '\\"').replaceAll('\\\\"', '\\"')}"`;

/** A tree at random, as lines of an index by path; no path lies below another. */
export function randomTree(
  random: () => number,
  { blobs, count }: { blobs: readonly string[]; count: number },
) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const files = new Map<string, string>();
  for (let at = 0; at < count; at += 1) {
    const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(names));
    put(files, parts.join('/'), `${pick(modes)} ${pick(blobs)}`);
  }
  return files;
}

export function put(files: Map<string, string>, file: string, entry: string): void {
  for (const other of [...files.keys()])
    if (other.startsWith(`${file}/`) || file.startsWith(`${other}/`)) return;
  files.set(file, entry);
}

export async function treeOf(here: Here, files: ReadonlyMap<string, string>): Promise<string> {
  const env = { GIT_INDEX_FILE: path.join(here.clone.path, 'test-index') };
  await here.run(['read-tree', '--empty'], { env });
  const stdin = [...files].map(([file, entry]) => `${entry}\t${quote(file)}\n`).join('');
  await here.run(['update-index', '--add', '--index-info'], { env, stdin });
  return here.run(['write-tree', '--missing-ok'], { env });
}

export async function blobsOf(here: Here): Promise<string[]> {
  return Promise.all(
    ['one\n', 'two\n', 'three\n', ''].map((stdin) => here.run(['hash-object', '-w', '--stdin'], { stdin })),
  );
}

export const fixed = { GIT_AUTHOR_DATE: '@1700000000 +0000', GIT_COMMITTER_DATE: '@1700000000 +0000' };

export async function commitOf(here: Here, files: ReadonlyMap<string, string>, parents: readonly string[]) {
  const tree = await treeOf(here, files);
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'x'];
  return here.run(args, { env: fixed });
}

export const message = 'A subject\n\nBody, with ünicode 日本.\n\nTask-Id: 1\n';
