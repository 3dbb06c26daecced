import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Key over the names and contents of all files below a folder, e.g. of migrations: the template key of their database. */
export async function folderKey(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash.update(`${path.relative(folder, file)}\0`).update(await readFile(file));
  return hash.digest('hex');
}
