import { appendFileSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { fullDisk } from '../process/full-disk.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { scratchNote, scratchPrefix } from '../workspace/tidy-slot.ts';

/**
 * Gives a command a folder for temporary files of its own, noted with its slot. Its path is short: sockets are made there.
 * @throws WORKSPACE_FAILED, STATE_UNWRITABLE, naming the folder that has no room, is not there or cannot be written
 */
export async function withScratch<T>(
  { slot, env }: { slot: string; env: Readonly<Record<string, string | undefined>> },
  run: (scratch: string) => Promise<T>,
): Promise<T> {
  const scratch = newScratch(env['TMPDIR'] ?? '/tmp');
  appendFileSync(scratchNote(slot), `${scratch}\n`);
  try {
    return await run(scratch);
  } finally {
    await removeTree(scratch).catch(() => undefined); // its name is noted: so again when the slot is tidied
  }
}

function newScratch(parent: string): string {
  try {
    return mkdtempSync(path.join(parent, scratchPrefix));
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
