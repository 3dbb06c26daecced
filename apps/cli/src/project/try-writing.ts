import { mkdtemp, rmdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder in a folder and removes it: rights alone say nothing of a file system that is full, or that is mounted for reading. Its name
 * begins with a dot, so that git takes it for no ref.
 *
 * @returns the error code of the system, e.g. `EROFS`; null: it can be written
 */
export async function tryWriting(folder: string): Promise<string | null> {
  try {
    await rmdir(await mkdtemp(path.join(folder, '.baton-write-')));
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
