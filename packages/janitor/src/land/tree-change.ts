import type { Git } from '@baton/contracts';
import { printedBytes, quotingNames } from '../printed-name.ts';
import { gitText } from '../run-git.ts';

/** What a tree has at a path. */
export interface TreeEntry {
  /** Git's file mode, e.g. `120000` for a symbolic link. */
  mode: string;
  id: string;
}

/** A path at which two trees differ; null where one of them has nothing. */
export interface EntryChange {
  /** Bytes of the name, which need not be UTF-8. */
  path: Buffer;
  before: TreeEntry | null;
  after: TreeEntry | null;
}

/** Mode of a submodule. */
export const submoduleMode = '160000';

/** Each path at which two trees differ; a rename is a deletion and an addition. @throws GIT_FAILED */
export async function treeChange(
  git: Git,
  { cwd, from, to }: { cwd: string; from: string; to: string },
): Promise<EntryChange[]> {
  const args = ['diff-tree', '-r', '--raw', '--no-renames', '--no-abbrev', from, to];
  return rawEntries(await gitText(git, [...quotingNames, ...args], { cwd }));
}

/** Lines of git's raw output, with names quoted and ids in full. Pure. */
export function rawEntries(printed: string): EntryChange[] {
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [before = '', after = '', was = '', is = ''] = line.slice(1).split(' ');
      const path = printedBytes(line.slice(line.indexOf('\t') + 1));
      return { path, before: entryOf(before, was), after: entryOf(after, is) };
    });
}

const entryOf = (mode: string, id: string): TreeEntry | null => (/^0+$/.test(mode) ? null : { mode, id });

/** A path as a key: one character for each of its bytes. Pure. */
export const keyOf = (path: Buffer): string => path.toString('latin1');

/** The bytes of a key of {@link keyOf}. Pure. */
export const bytesOfKey = (key: string): Buffer => Buffer.from(key, 'latin1');
