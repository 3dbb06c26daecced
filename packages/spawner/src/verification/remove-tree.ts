import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';

/** Removes a folder with all below it, also where a command took its own rights to it away. Links are removed, never followed. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    openUp(folder);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
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
