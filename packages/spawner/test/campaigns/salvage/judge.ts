import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import {
  attemptRef,
  listLeftOut,
  listSalvage,
  ownRef,
  salvageRef,
  type AttemptKey,
  type Clone,
} from '../../../src/index.ts';

/**
 * What an independent reader found: ids of content by where it lay, the exact one first, then those that git may make
 * of it when it commits (line ends, encoding, `$Id$`). No git is asked.
 */
export type Inventory = Map<string, readonly string[]>;

/** Id under which git keeps these bytes. */
export function blobId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

function idsOf(content: Buffer): string[] {
  const latin = content.toString('latin1');
  const fromUtf16 = Buffer.from(content.toString('utf16le').replace(/^\ufeff/, ''), 'utf8').toString(
    'latin1',
  );
  const made = [latin, fromUtf16].flatMap((text) => {
    const ids = [text, text.replace(/\$Id:[^$\n]*\$/g, '$Id$')];
    return ids.flatMap((one) => [one, one.replaceAll('\r\n', '\n')]);
  });
  return [...new Set(made)].map((text) => blobId(Buffer.from(text, 'latin1')));
}

/** What is larger is not read: it must be named, or set aside. */
const mostBytes = 50 * 1024 * 1024;

/** Reads every file and link of a tree, and every loose blob of its own repository. */
export function takeInventory(root: string): Inventory {
  const found: Inventory = new Map();
  readTree(Buffer.from(root), { under: '', found });
  const own = lstatSync(path.join(root, '.git'), { throwIfNoEntry: false });
  for (const [file] of [...found]) readOutside(root, { file, found });
  const separate = /^gitdir: (\/.*)$/m.exec(textOf(path.join(root, '.git')))?.[1];
  if (separate !== undefined && !separate.startsWith(`${root}/`))
    found.set('.git ->', [`outside ${separate}`]);
  if (own?.isDirectory()) {
    readOutside(root, { file: '.git/objects', found });
    readObjects(path.join(root, '.git/objects'), found);
    readOwnGit(root, found);
    readGitFolder(root, found);
  }
  return found;
}

function readTree(folder: Buffer, { under, found }: { under: string; found: Inventory }): void {
  let children;
  try {
    children = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' });
  } catch {
    found.set(`${under}/`, ['unreadable']);
    return;
  }
  if (children.length === 0 && under !== '' && !/(^|\/)\.git\//.test(under)) found.set(under, ['empty']);
  for (const child of children) {
    const name = `${under}${child.name.toString('latin1')}`;
    const place = Buffer.concat([folder, Buffer.from('/'), child.name]);
    if (name === '.git' && child.isDirectory()) continue;
    if (child.isDirectory()) {
      if (place.length < 3_800) readTree(place, { under: `${name}/`, found });
      else found.set(`${name}/`, ['too long']);
    } else if (child.isSymbolicLink()) found.set(name, [blobId(readlinkSync(place, { encoding: 'buffer' }))]);
    else if (child.isFile())
      found.set(name, lstatSync(place).size > mostBytes ? ['too large'] : idsOf(readFileSync(place)));
    else found.set(name, ['special']);
  }
}

/** A link that leads out of the tree is one thing, and what lies behind it another. */
function readOutside(root: string, { file, found }: { file: string; found: Inventory }): void {
  const place = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(file, 'latin1')]);
  if (/\/\.git\//.test(file) || lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true)
    return;
  let at;
  try {
    at = realpathSync(place, { encoding: 'buffer' }).toString('latin1');
  } catch {
    at = path.resolve(path.dirname(place.toString('latin1')), readlinkSync(place, { encoding: 'latin1' }));
  }
  if (at !== root && !at.startsWith(`${root}/`)) found.set(`${file} ->`, [`outside ${at}`]);
}

/** What git writes into its folder: all else is somebody's. */
const gits = new RegExp(
  [
    '^(HEAD|index|config(\\.worktree)?|packed-refs|description|shallow|[A-Z_]+_(HEAD|EDITMSG|START|MERGE)|gc\\.(log|pid)|modules|worktrees)$',
    '^(refs|logs)/(?!wip)|^(info/(exclude|refs)|hooks/.*\\.sample)$|^[^/]*\\.lock$|^sharedindex|^reftable/',
    '^objects/(info/|pack/|[0-9a-f]{2}/([0-9a-f]{38}$|tmp_obj))|^(modules|worktrees)/',
  ].join('|'),
);

/** Files of the git folder that git did not write there, aliases among its settings too. */
function readGitFolder(root: string, found: Inventory): void {
  const own: Inventory = new Map();
  readTree(Buffer.from(path.join(root, '.git')), { under: '', found: own });
  const isAlias = textOf(path.join(root, '.git/config')).includes('[alias]');
  for (const [name, ids] of own)
    if ((name === 'config' && isAlias) || !gits.test(name))
      if (!['empty', 'special'].includes(ids[0] ?? '')) found.set(`.git/${name}`, ids);
}

/** Branches of the agent's own whose commit lies in its objects or in those that it borrows, and worktrees elsewhere. */
function readOwnGit(root: string, found: Inventory): void {
  const own = path.join(root, '.git');
  const stores = [path.join(own, 'objects'), ...alternates(own)];
  for (const name of plainNames(path.join(own, 'refs/heads'))) {
    const id = textOf(path.join(own, 'refs/heads', name)).trim();
    const object = path.join(id.slice(0, 2), id.slice(2));
    if (/^[0-9a-f]{40}$/.test(id) && stores.some((store) => isCommit(path.join(store, object))))
      found.set(`.git/refs/heads/${name}`, [id]);
  }
  for (const name of plainNames(path.join(own, 'worktrees'))) {
    const at = path.dirname(textOf(path.join(own, 'worktrees', name, 'gitdir')).trim());
    const isThere = path.isAbsolute(at) && lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isThere && !at.startsWith(`${root}/`)) found.set(`.git/worktrees/${name} ->`, [`outside ${at}`]);
  }
}

function isCommit(file: string): boolean {
  try {
    return inflateSync(readFileSync(file)).subarray(0, 7).toString() === 'commit ';
  } catch {
    return false;
  }
}

function alternates(own: string): string[] {
  return textOf(path.join(own, 'objects/info/alternates'))
    .split('\n')
    .filter((line) => line.startsWith('/'));
}

function plainNames(folder: string): string[] {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(folder) : [];
}

function textOf(file: string): string {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : '';
}

function readObjects(folder: string, found: Inventory): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const two of readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    const inner = path.join(folder, two);
    if (!lstatSync(inner).isDirectory()) continue;
    for (const name of readdirSync(inner).filter((one) => /^[0-9a-f]{38}$/.test(one))) {
      const file = path.join(inner, name);
      if (!lstatSync(file).isFile()) continue;
      try {
        if (inflateSync(readFileSync(file)).subarray(0, 5).toString() === 'blob ')
          found.set(`.git/objects/${two}${name}`, [`${two}${name}`]);
      } catch {
        continue; // what is no object holds nothing that anyone could read
      }
    }
  }
}

/** What {@link lostOf} compares. */
export interface Comparison {
  clone: Clone;
  git: Git;
  attempt: AttemptKey;
  base: string;
  before: Inventory;
  left: Inventory;
  /** Whether the work was committed: then as git would, attributes applied. */
  isCommitted: boolean;
}

/** Everything that lay there in the end, was not there before, and is neither in a ref nor named. */
export async function lostOf(given: Comparison): Promise<string[]> {
  const { clone, git, attempt, base, before, left, isCommitted } = given;
  const refs = [salvageRef(attempt), ownRef(attempt), attemptRef(attempt)];
  const there: string[] = [];
  for (const ref of refs) if ((await clone.resolve(ref)) !== null) there.push(ref);
  const listed = await git(['rev-list', '--objects', '--no-object-names', base, ...there], {
    cwd: clone.path,
  });
  const kept = new Set(listed.stdout.split('\n'));
  const entries = await listSalvage(clone, attempt.taskId);
  const lists = await listLeftOut(clone, attempt.taskId);
  const named = [...entries, ...lists].flatMap((entry) => entry.leftOut);
  for (const entry of entries) {
    if (entry.path === undefined) continue;
    for (const [id = ''] of takeInventory(entry.path).values()) if (!id.startsWith('outside ')) kept.add(id);
  }
  addFiles(path.join(path.dirname(clone.path), 'kept-files', attempt.taskId), kept);
  const isToldOf = (file: string, at: string) =>
    named.some(({ reason, detail, file: name }) => {
      const isIt = reason === 'outside' && bytesNamed(name) === file;
      return (
        isIt &&
        Buffer.from(detail ?? '', 'utf8')
          .toString('latin1')
          .includes(at)
      );
    });
  const isNamed = (file: string) =>
    named.some((one) => {
      const name = bytesNamed(one.file);
      const isSpoken = ['ignored', 'special', 'empty'].includes(one.reason);
      return isSpoken && (name === file || (name.endsWith('/') && file.startsWith(name)));
    });
  return [...left].flatMap(([file, [id = '', ...variants]]) => {
    if (before.get(file)?.[0] === id || kept.has(id) || isNamed(file)) return [];
    if (id.startsWith('outside ') && isToldOf(file.replace(/ ->$/, ''), id.slice('outside '.length)))
      return [];
    if (named.some((one) => one.file === `commit ${id}`)) return [];
    if (isCommitted && variants.some((one) => kept.has(one))) return [];
    return [`${JSON.stringify(file)} (${id})`];
  });
}

/** A name in a list, as bytes: one that begins with a quote is escaped as git does. */
function bytesNamed(name: string): string {
  if (!name.startsWith('"')) return Buffer.from(name, 'utf8').toString('latin1');
  const byte = (code: string) => (code.length === 3 ? String.fromCharCode(parseInt(code, 8)) : code);
  return name.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => byte(code));
}

function addFiles(folder: string, kept: Set<string>): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) kept.add(blobId(readFileSync(path.join(entry.parentPath, entry.name))));
}
