import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Check } from './checks.ts';

/** What git and gates write there at least. */
const enough = Buffer.alloc(256 * 1024, 'x');

/** Git, gates and agents make temporary files, wherever the state lies: they are really written, since a full disk still has folders. */
export const checkTemporary: Check = async ({ env }) => {
  const parent = env.all['TMPDIR'] ?? tmpdir();
  let folder: string | undefined;
  try {
    folder = await mkdtemp(path.join(parent, 'baton-doctor-'));
    await writeFile(path.join(folder, 'probe'), enough);
    return [];
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    return {
      name: 'temporary',
      status: 'fail',
      text: `temporary files cannot be written in ${parent} (${code})`,
      fix: isFull
        ? 'Make room there (`df -h` and `df -i` show what is used), or set TMPDIR to a folder on another disk.'
        : 'Make that a folder that this user can write, or set TMPDIR to one that is.',
    };
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
};
