import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BatonError } from '@baton/contracts';

/**
 * Makes a folder for temporary files. Its path is absolute whatever TMPDIR says: git, which is started in other folders, would look for
 * a relative one there.
 * @param parent Where TMPDIR says that such files go.
 * @returns the folder, whose name begins with `prefix`
 * @throws STATE_UNWRITABLE naming the parent that has no room, is not there or cannot be written
 */
export async function makeTemporaryFolder(prefix: string, parent: string = tmpdir()): Promise<string> {
  const at = path.resolve(parent);
  try {
    return await mkdtemp(path.join(at, prefix));
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError(
      'STATE_UNWRITABLE',
      `The folder for temporary files, ${at}, cannot be written: ${said}`,
      {
        fix: 'Make that folder and room in it, or set TMPDIR to one that is there and may be written, and start again.',
        at,
        cause,
      },
    );
  }
}
