import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { fullDisk } from './full-disk.ts';

/**
 * Makes a folder for temporary files. Its path is absolute whatever TMPDIR says: programs that are handed a relative one, in a folder
 * of their own, would look for it there.
 * @returns the folder, whose name begins with `prefix`
 * @throws WORKSPACE_FAILED, STATE_UNWRITABLE, naming the folder that has no room, is not there or cannot be written
 */
export function makeTemporaryFolder(
  env: Readonly<Record<string, string | undefined>>,
  prefix: string,
): string {
  const named = env['TMPDIR'];
  const parent = path.resolve(named === undefined || named === '' ? tmpdir() : named);
  try {
    return mkdtempSync(path.join(parent, prefix));
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw (
      fullDisk(parent, cause) ??
      new BatonError(
        'STATE_UNWRITABLE',
        `The folder for temporary files, ${parent}, cannot be written: ${said}`,
        {
          fix: 'Make that folder, or set TMPDIR to one that is there and may be written, and start again.',
          at: parent,
          cause,
        },
      )
    );
  }
}
