import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { textOf } from './byte-path.ts';
import { mountsIn } from './mounts.ts';

/**
 * Removes a folder with all below it, also where a command took its own rights to it away. Links are removed, never followed.
 *
 * @throws EBUSY when something is mounted in it: what is removed there is removed from where it belongs
 */
export async function removeTree(folder: string): Promise<void> {
  refuseMounts(folder);
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    openUp(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** @throws EBUSY when something is mounted in a folder */
export function refuseMounts(folder: string): void {
  const [mount] = mountsIn(folder);
  if (mount === undefined) return;
  const at = path.join(folder, textOf(mount));
  throw Object.assign(new Error(`EBUSY: something is mounted at ${at}`), { code: 'EBUSY', path: at });
}

function openUp(top: string): void {
  const waiting = [top];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) continue;
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) waiting.push(path.join(folder, entry.name));
  }
}
