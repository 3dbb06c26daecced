import { appendFileSync } from 'node:fs';
import { makeTemporaryFolder } from '../process/temporary-folder.ts';
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
  const scratch = makeTemporaryFolder(env, scratchPrefix);
  appendFileSync(scratchNote(slot), `${scratch}\n`);
  try {
    return await run(scratch);
  } finally {
    await removeTree(scratch).catch(() => undefined); // its name is noted: so again when the slot is tidied
  }
}
