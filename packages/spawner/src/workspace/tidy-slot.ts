import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stuck, unretireSlot } from '../tree/retire-slot.ts';
import { removeTree } from '../tree/remove-tree.ts';
import { usesFile } from '../tree/slots.ts';

/** How the folders for temporary files of commands are named. */
export const scratchPrefix = 'baton-';

/** Names those folders, one a line, so that they go when the process dies. */
export const scratchNote = (slot: string): string => path.join(slot, 'scratch');

/** Removes what commands wrote, also those of a process that died. Tree and set-up stay. @throws WORKSPACE_FAILED */
export async function tidySlot(slot: string): Promise<void> {
  try {
    mkdirSync(slot, { recursive: true, mode: 0o700 });
    const noted = scratchNote(slot);
    const scratches = existsSync(noted) ? readFileSync(noted, 'utf8').split('\n') : [];
    for (const scratch of scratches)
      if (path.isAbsolute(scratch) && path.basename(scratch).startsWith(scratchPrefix))
        await removeTree(scratch);
    rmSync(noted, { force: true });
    rmSync(usesFile(slot), { force: true });
    for (const name of readdirSync(slot)) if (/^run-\d+$/.test(name)) await removeTree(path.join(slot, name));
  } catch (cause) {
    throw stuck(slot, cause);
  }
}

/** Clears a retired slot of everything and puts it into use again. Call it with its lock held. @throws WORKSPACE_FAILED */
export async function reviveSlot(slot: string): Promise<void> {
  await tidySlot(slot);
  try {
    // The record last: a tree without one counts as somebody's work.
    const last = ['meta', 'lock'];
    for (const name of readdirSync(slot)) if (!last.includes(name)) await removeTree(path.join(slot, name));
    await removeTree(path.join(slot, 'meta'));
  } catch (cause) {
    throw stuck(slot, cause);
  }
  unretireSlot(slot);
}
