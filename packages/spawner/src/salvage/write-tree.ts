import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gitText } from '../git/git.ts';
import { makeOwnFolder, removeDeadFolders } from '../process/own-folder.ts';
import { config } from '../tree/agent-git.ts';
import { bytesOf, fromText, linesOf, type BytePath } from '../tree/byte-path.ts';
import type { Clone } from '../tree/clone.ts';
import { nameOf, pathOf } from '../tree/left-out.ts';

/**
 * Writes the files of a commit, from a repository of its own, so that attributes of the tree change no byte.
 *
 * @returns How many are there afterwards, and the names of the others: submodules, and untracked files of a stash in whose place is one
 *   of the tree.
 */
export async function writeTree(
  clone: Clone,
  { commit, into }: { commit: string; into: string },
): Promise<{ files: number; missing: string[] }> {
  const folder = path.dirname(clone.path);
  const drafts = { parent: folder, prefix: 'restore-' };
  removeDeadFolders(drafts); // what a restore left that was killed
  const draft = makeOwnFolder(drafts);
  try {
    return await writeFrom(clone, { own: draft.path, commit, into });
  } finally {
    draft.remove();
  }
}

/** @param at.own An empty folder, which becomes a repository. */
async function writeFrom(
  clone: Clone,
  { own, commit, into }: { own: string; commit: string; into: string },
): Promise<{ files: number; missing: string[] }> {
  for (const name of ['objects/info', 'refs', 'info']) mkdirSync(path.join(own, name), { recursive: true });
  writeFileSync(path.join(own, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(path.join(own, 'config'), config(clone.objectFormat !== 'sha1'));
  writeFileSync(path.join(own, 'objects/info/alternates'), `${path.join(clone.path, 'objects')}\n`);
  const off = '* -text -eol -crlf -ident -filter -working-tree-encoding\n';
  writeFileSync(path.join(own, 'info/attributes'), off);
  const at = { cwd: into };
  const args = ['--git-dir', own, '--work-tree', into];
  await gitText(clone.git, [...args, 'read-tree', '--reset', '-u', commit], at);
  const list = async (): Promise<Entry[]> =>
    linesOf(await gitText(clone.git, [...args, '-c', 'core.quotePath=true', 'ls-files', '--stage'], at)).map(
      entryOf,
    );
  const entries = await list();
  const untracked = await untrackedOfStash(clone, commit);
  if (untracked === null) return told(into, entries);
  await gitText(clone.git, [...args, 'read-tree', '--reset', untracked], at);
  await clone.git([...args, 'checkout-index', '--all', '--quiet'], at); // what is there already stays
  const before = new Map(entries.map((one) => [one.file, one.id]));
  const more = (await list()).filter(({ file, id }) => before.get(file) !== id);
  const main = told(into, entries);
  const rest = told(
    into,
    more.map((one) => (before.has(one.file) ? { ...one, isFile: false } : one)),
  );
  return { files: main.files + rest.files, missing: [...main.missing, ...rest.missing] };
}

/** `git stash -u` keeps untracked files in a third parent that has none itself; null: the commit has no such parent. */
async function untrackedOfStash(clone: Clone, commit: string): Promise<string | null> {
  const args = ['rev-list', '--parents', '--max-count=1', `${commit}^3`];
  const found = await clone.git(args, { cwd: clone.path });
  const [id = '', ...parents] = found.stdout.trim().split(' ');
  return found.exitCode === 0 && id !== '' && parents.length === 0 ? id : null;
}

interface Entry {
  file: BytePath;
  id: string;
  /** False: another repository, or a file that is not written. */
  isFile: boolean;
}

/** A line of `git ls-files --stage`. */
function entryOf(line: string): Entry {
  const [, mode = '', id = '', name = ''] = /^(\d+) ([0-9a-f]+) \d\t(.*)$/.exec(line) ?? [];
  return { file: pathOf(name), id, isFile: mode !== '160000' };
}

/** What of an index is there. */
function told(into: string, entries: readonly Entry[]): { files: number; missing: string[] } {
  const isThere = ({ file, isFile }: Entry): boolean =>
    isFile &&
    lstatSync(bytesOf(`${fromText(into)}/${file}`), { throwIfNoEntry: false })?.isDirectory() === false;
  const missing = entries.filter((one) => !isThere(one)).map(({ file }) => nameOf(file));
  return { files: entries.length - missing.length, missing };
}
