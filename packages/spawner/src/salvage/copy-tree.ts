import { chmod, copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { constants } from 'node:fs';
import { bytesOf, fromBytes, fromText, type BytePath } from '../tree/byte-path.ts';

/** What {@link copyTree} did. */
export interface CopiedTree {
  /** Files and links that were written. */
  files: number;
  /** Paths below the folder that were not: git folders, pipes, sockets, devices, and what could not be read or written. */
  missing: BytePath[];
}

/**
 * Copies what a folder holds into another that is empty, names by their bytes, links as they are, with the rights of each. What cannot be
 * copied is named, and the rest is copied all the same.
 */
export async function copyTree(from: string, { into }: { into: string }): Promise<CopiedTree> {
  const done: CopiedTree = { files: 0, missing: [] };
  await copyFolder({ from: fromText(from), into: fromText(into), done }, '');
  return done;
}

interface Copy {
  from: BytePath;
  into: BytePath;
  done: CopiedTree;
}

async function copyFolder(copy: Copy, folder: BytePath): Promise<void> {
  const at = `${copy.from}${folder === '' ? '' : `/${folder}`}`;
  for (const bytes of await readdir(bytesOf(at), { encoding: 'buffer' })) {
    const name = fromBytes(bytes);
    const file = folder === '' ? name : `${folder}/${name}`;
    const isCopied = name !== '.git' && (await copyOne(copy, file).catch(() => false));
    if (!isCopied) copy.done.missing.push(file);
  }
}

/** @returns false: it is nothing that can be copied */
async function copyOne(copy: Copy, file: BytePath): Promise<boolean> {
  const source = bytesOf(`${copy.from}/${file}`);
  const target = bytesOf(`${copy.into}/${file}`);
  const stat = await lstat(source);
  if (stat.isDirectory()) {
    await mkdir(target, { mode: 0o700 });
    await copyFolder(copy, file);
    await chmod(target, stat.mode & 0o777);
    return true;
  }
  if (stat.isSymbolicLink()) await symlink(await readlink(source, { encoding: 'buffer' }), target);
  else if (stat.isFile()) await copyFile(source, target, constants.COPYFILE_FICLONE);
  else return false;
  copy.done.files += 1;
  return true;
}
