import { accessSync, constants, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { openClone, type Clone } from '../../src/index.ts';
import { git } from './real.ts';

/** A folder on another file system than the temporary one, or null when this machine has none that can be written. */
export const otherFileSystem: string | null = findOther();

function findOther(): string | null {
  const isOther = (folder: string): boolean => {
    try {
      accessSync(folder, constants.W_OK);
      return statSync(folder).dev !== statSync(tmpdir()).dev;
    } catch {
      return false;
    }
  };
  return ['/dev/shm', '/run/shm', '/var/tmp'].find(isOther) ?? null;
}

/** Opens Baton's clone of a repository. */
export function clone(location: string, stateDir: string): Promise<Clone> {
  return openClone({ git, stateDir, repoId: 'r1', location });
}
