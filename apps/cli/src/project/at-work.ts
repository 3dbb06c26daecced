import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { isAlive, processStart } from '@baton/spawner/processes';

const folderOf = (stateDir: string): string => path.join(stateDir, 'at-work');

/**
 * Notes in a state folder that this process works there, until it is disposed of or the process is dead: the folder's own database
 * knows nothing of a run that is recorded elsewhere.
 */
export function noteAtWork(stateDir: string): Disposable {
  const folder = folderOf(stateDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, String(process.pid));
  writeFileSync(file, processStart(process.pid) ?? '', { mode: 0o600 });
  return {
    [Symbol.dispose]() {
      try {
        rmSync(file, { force: true });
      } catch {
        // the folder takes no change any more: a note of a dead process counts for nothing
      }
    },
  };
}

/** Pids of the living processes that noted themselves in a state folder. */
export function atWorkIn(stateDir: string): number[] {
  const folder = folderOf(stateDir);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.filter((name) => isNoted(path.join(folder, name))).map(Number);
}

function isNoted(file: string): boolean {
  try {
    return isAlive({ pid: Number(path.basename(file)), pidStarted: readFileSync(file, 'utf8') });
  } catch {
    return false; // it ended just now
  }
}
