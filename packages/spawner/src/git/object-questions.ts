import { readCommitTree, writeCommit } from './commit-object.ts';
import { readIndexFile } from './index-file.ts';
import { treeOfIndex } from './index-tree.ts';
import { objectId, storeObject } from './loose-object.ts';
import { mergePlainTrees } from './merge-trees.ts';
import type { ObjectView } from './object-view.ts';
import type { OwnStore } from './own-store.ts';
import { folderMode, linkMode, listedEntry, quotedByGit, rawChange, type TreeEntry } from './tree-object.ts';

/** What a command is asked with. */
export interface Asked {
  args: readonly string[];
  stdin: string | undefined;
  /** The whole environment of the command. */
  env: Readonly<Record<string, string>>;
}

/** What objects are read and stored with. */
export interface ObjectTools {
  view: ObjectView;
  /** Where an object may be stored without git; null: nowhere. */
  storeFor(id: string): OwnStore | null;
  /** Bytes of an object; null: not known. */
  sizeOf(id: string): Promise<number | null>;
}

const id = '[0-9a-f]{40}(?:[0-9a-f]{24})?';
const isId = new RegExp(`^${id}$`);
const range = new RegExp(`^(${id})\\.\\.(${id})$`);

/** How callers ask for names that are read line by line. */
const quoting = ['-c', 'core.quotePath=true'];
const isNoFolder = ({ mode }: TreeEntry): boolean => mode !== folderMode;
const isNoFile = ({ mode }: TreeEntry): boolean => mode === folderMode || mode === linkMode;

/** Commands by how they begin; what follows is their own. */
const commands: readonly (readonly [
  begin: readonly string[],
  answer: (tools: ObjectTools, rest: readonly string[], asked: Asked) => Promise<string | null>,
])[] = [
  [['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev'], rawDiff],
  [['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff'], changedNames],
  [['ls-tree', '-r', '-z', '--full-tree'], (tools, rest) => listAll(tools, rest)],
  [[...quoting, 'ls-tree', '-r', '--full-tree'], (tools, rest) => listQuoted(tools, rest, isNoFolder)],
  [[...quoting, 'ls-tree', '-r', '-d', '--full-tree'], (tools, rest) => listQuoted(tools, rest, isNoFile)],
  [['merge-base', '--is-ancestor'], isAncestor],
  [['merge-tree', '--write-tree', '-z', '--name-only', '--messages'], mergeCommits],
  [['log', '--reverse', '--max-count=50', '--format=%s'], subjectOf],
];

/**
 * What a command that asks about objects alone prints when it succeeds; null: git itself must be asked, since the question is another, or
 * something is not there, or the answer is not plain.
 */
export async function objectAnswer(tools: ObjectTools, asked: Asked): Promise<string | null> {
  const { args } = asked;
  if (args[0] === 'commit-tree') return commitTree(tools, asked);
  if (isBatch(args)) return contents(tools, asked);
  for (const [begin, answer] of commands)
    if (begin.every((arg, at) => args[at] === arg)) {
      const rest = args.slice(begin.length);
      return asked.stdin === undefined ? answer(tools, rest, asked) : null;
    }
  return null;
}

/** Whether {@link objectAnswer} may know an answer. */
export function isObjectQuestion(args: readonly string[]): boolean {
  if (args[0] === 'commit-tree' || isBatch(args)) return true;
  return commands.some(([begin]) => begin.every((arg, at) => args[at] === arg));
}

const isBatch = (args: readonly string[]): boolean => args.join(' ') === 'cat-file --batch';
/** More content than this, in bytes, is git's to print. */
const mostContent = 4 * 1024 * 1024;

async function contents({ view, sizeOf }: ObjectTools, { stdin = '' }: Asked): Promise<string | null> {
  const ids = stdin.endsWith('\n') ? stdin.slice(0, -1).split('\n') : [];
  if (ids.length === 0 || !ids.every((one) => isId.test(one))) return null;
  const sizes = await Promise.all(ids.map(sizeOf));
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? mostContent), 0);
  if (total >= mostContent) return null;
  const objects = await Promise.all(ids.map((one) => view.read(one)));
  const parts = objects.flatMap((object) =>
    object === null ? [] : [`${object.id} ${object.type} ${object.body.length}\n`, object.body, '\n'],
  );
  if (objects.includes(null)) return null;
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))).toString(
    'utf8',
  );
}

const begin = ['--git-dir', '--work-tree', '-c'];

/** The clone of a `write-tree` with an index of Baton's own, as `treeGit` asks for it; null: the command is another. */
export function writtenTreeOf(args: readonly string[]): string | null {
  const [one, bare = '', two, , three, setting = '', command, more] = args;
  const isOurs = [one, two, three].every((arg, at) => arg === begin[at]);
  return isOurs && setting.startsWith('core.excludesFile=') && command === 'write-tree' && more === undefined
    ? bare
    : null;
}

/** What `git write-tree` prints for an index; null: git itself must make the tree. */
export async function writtenTree(
  { storeFor, sizeOf }: ObjectTools,
  { index, hash }: { index: string; hash: 'sha1' | 'sha256' },
): Promise<string | null> {
  const digits = hash === 'sha1' ? 40 : 64;
  const store = storeFor('0'.repeat(digits));
  const read = store === null ? null : readIndexFile(index, digits / 2);
  if (store === null || read === null) return null;
  const id = await treeOfIndex(
    {
      store: (body) => storeObject(store, { type: 'tree', body }),
      has: async (one) => (await sizeOf(one)) !== null,
      idOf: (body) => objectId(hash, { type: 'tree', body }),
    },
    read,
  );
  return id === null ? null : `${id}\n`;
}

const text = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');

async function changesOf({ view }: ObjectTools, rest: readonly string[]) {
  const [one = '', other = '', more] = rest;
  if (more !== undefined || !isId.test(one) || !isId.test(other)) return null;
  const [before, after] = await Promise.all([view.treeOf(one), view.treeOf(other)]);
  return before === null || after === null ? null : view.changes(before, after);
}

async function rawDiff(tools: ObjectTools, rest: readonly string[]): Promise<string | null> {
  const changes = await changesOf(tools, rest);
  return changes === null ? null : text(changes.map(rawChange).join(''));
}

async function changedNames(tools: ObjectTools, rest: readonly string[]): Promise<string | null> {
  const changes = await changesOf(tools, rest);
  return changes === null ? null : text(changes.map(({ path }) => `${path}\0`).join(''));
}

async function entriesOf({ view }: ObjectTools, rest: readonly string[]) {
  const [only = '', more] = rest;
  const tree = more === undefined && isId.test(only) ? await view.treeOf(only) : null;
  return tree === null ? null : view.list(tree);
}

async function listAll(tools: ObjectTools, rest: readonly string[]): Promise<string | null> {
  const entries = await entriesOf(tools, rest);
  if (entries === null) return null;
  const files = entries.filter(({ entry }) => isNoFolder(entry));
  return text(files.map(({ path, entry }) => `${listedEntry(entry, path)}\0`).join(''));
}

async function listQuoted(
  tools: ObjectTools,
  rest: readonly string[],
  isListed: (entry: TreeEntry) => boolean,
): Promise<string | null> {
  const entries = (await entriesOf(tools, rest))?.filter(({ entry }) => isListed(entry)) ?? null;
  return entries?.map(({ path, entry }) => `${listedEntry(entry, quotedByGit(path))}\n`).join('') ?? null;
}

/** Ancestors that are further away are git's to find. */
const nearby = 64;

/** An answer is a yes: along first parents, as what lands is stacked. Git must say no. */
async function isAncestor({ view }: ObjectTools, rest: readonly string[]): Promise<string | null> {
  const [ancestor = '', commit, more] = rest;
  if (more !== undefined || !isId.test(ancestor) || (await view.commit(ancestor)) === null) return null;
  let at = commit;
  for (let step = 0; at !== undefined && isId.test(at) && step < nearby; step++) {
    if (at === ancestor) return '';
    const facts = await view.commit(at);
    if (facts?.parents.includes(ancestor) === true) return '';
    at = facts?.parents[0];
  }
  return null;
}

async function subjectOf({ view }: ObjectTools, rest: readonly string[]): Promise<string | null> {
  const [only = '', more] = rest;
  const [, from = '', to = ''] = range.exec(only) ?? [];
  if (more !== undefined || from === '') return null;
  const commit = await view.commit(to);
  const isOne = commit?.parents.length === 1 && commit.parents[0] === from;
  if (!isOne || commit.subject === null || (await view.commit(from)) === null) return null;
  return `${commit.subject}\n`;
}

async function commitTree({ view, storeFor }: ObjectTools, asked: Asked): Promise<string | null> {
  const commit = readCommitTree(asked.args, asked);
  const store = commit === null ? null : storeFor(commit.tree);
  if (commit === null || store === null) return null;
  if ((await view.treeOf(commit.tree)) !== commit.tree) return null;
  for (const parent of commit.parents) if ((await view.commit(parent)) === null) return null;
  return `${storeObject(store, { type: 'commit', body: writeCommit(commit) })}\n`;
}

async function mergeCommits(
  { view, storeFor }: ObjectTools,
  rest: readonly string[],
): Promise<string | null> {
  const [one = '', other = '', more] = rest;
  if (more !== undefined || !isId.test(one) || !isId.test(other)) return null;
  const [ours, theirs] = await Promise.all([view.commit(one), view.commit(other)]);
  const [base, second] = ours?.parents ?? [];
  // Two children of one commit: it is what they have in common, and nothing else is.
  const isFork = base !== undefined && second === undefined && theirs?.parents.join(' ') === base;
  const common = isFork ? await view.treeOf(base) : null;
  const store = storeFor(one);
  if (common === null || store === null || ours === null || theirs === null) return null;
  const merged = await mergePlainTrees(view, {
    ...{ base: common, ours: ours.tree, theirs: theirs.tree },
    store: (body) => storeObject(store, { type: 'tree', body }),
  });
  return merged === null ? null : `${merged}\0\0`;
}
