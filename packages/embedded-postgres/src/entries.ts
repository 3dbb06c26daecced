import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { machineKey, thisMachine } from './machine.ts';
import { isAlive, thisProcess, type ProcessIdentity } from './process-table.ts';

/** Writes a new file named after this process, `<pid>-<start time>-<n>`; one process may hold several. */
export async function addEntry(folder: string): Promise<string> {
  const owner = thisProcess();
  for (let n = 0; ; n++) {
    const file = path.join(folder, `${owner.pid}-${owner.startTime}-${n}`);
    try {
      await writeFile(file, `${formatIdentity(owner)} ${machineKey(thisMachine())}`, {
        flag: 'wx',
        mode: 0o600,
      });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** The entries of living processes; those of dead ones are deleted on the way. */
export async function livingEntries(folder: string): Promise<string[]> {
  const living: string[] = [];
  for (const name of await readdir(folder)) {
    const owner = parseIdentity(name.split('-').slice(0, 2).join(' '));
    if (owner && isAlive(owner)) living.push(path.join(folder, name));
    else await rm(path.join(folder, name), { force: true });
  }
  return living;
}

/** The text by which a file names the process that owns it. */
export function formatIdentity(identity: ProcessIdentity): string {
  return `${identity.pid} ${identity.startTime}`;
}

/** Whether a file that {@link addEntry} wrote names a process of another machine, whose pids say nothing here. */
export function isOfAnother(text: string): boolean {
  const [, , machine] = text.split(' ');
  return machine !== undefined && machine !== machineKey(thisMachine());
}

/** Reads {@link formatIdentity} back; `undefined` for anything else. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const match = /^(\d+) (\w+)(?: \w+)?$/.exec(text);
  return match ? { pid: Number(match[1]), startTime: match[2] ?? '' } : undefined;
}
