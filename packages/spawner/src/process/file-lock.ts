import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAlive, processStart } from './process-table.ts';

/** A lock that is held until released or until the process that holds it is dead. */
export interface FileLock {
  release(): void;
}

let counter = 0;

/**
 * Takes a lock between the processes of one machine, or returns null when a living process holds it.
 *
 * The lock is a folder of numbered generations, each a folder naming its holder (pid and start time); the highest counts. A
 * dead holder's is taken over by giving a draft the next number, which only one process can, on any file system: a folder
 * never replaces one that holds something. One that lags behind sees a higher number afterwards and has lost. So there is no moment at which two hold it or a live holder's file is replaced.
 */
export function tryFileLock(folder: string): FileLock | null {
  mkdirSync(folder, { recursive: true });
  try {
    return take(folder);
  } catch (error) {
    // The holder of the lock removed the folder: it is theirs to the end.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function take(folder: string): FileLock | null {
  const top = generations(folder).at(-1);
  if (top !== undefined && isHeld(folder, top)) return null;
  const mine = (top ?? 0) + 1;
  if (!claim(folder, mine)) return null;
  const now = generations(folder);
  if (now.at(-1) !== mine) {
    remove(folder, mine);
    return null;
  }
  now.slice(0, -1).forEach((old) => remove(folder, old));
  return { release: () => replaceByReleased(folder, mine) };
}

/** Takes a lock, waiting for its holder. `wait` is called between two looks. */
export async function fileLock(folder: string, wait: () => Promise<void>): Promise<FileLock> {
  for (;;) {
    const lock = tryFileLock(folder);
    if (lock !== null) return lock;
    await wait();
  }
}

function generations(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

function isHeld(folder: string, generation: number): boolean {
  try {
    const [pid = '', pidStarted = ''] = readHolder(path.join(folder, String(generation))).split('\n');
    return Number(pid) > 0 && isAlive({ pid: Number(pid), pidStarted });
  } catch {
    return false; // another process took it over and removed it: the claim below decides
  }
}

function readHolder(place: string): string {
  // Older versions wrote a plain file: one of them may still be at work.
  return readFileSync(statSync(place).isFile() ? place : path.join(place, 'holder'), 'utf8');
}

/** A folder that appears whole, or not at all when the number is taken. */
function claim(folder: string, generation: number): boolean {
  const draft = path.join(folder, `draft-${process.pid}-${(counter += 1)}`);
  mkdirSync(draft);
  writeFileSync(path.join(draft, 'holder'), `${process.pid}\n${processStart(process.pid) ?? ''}\n`);
  try {
    renameSync(draft, path.join(folder, String(generation)));
    return true;
  } catch (error) {
    if (taken.includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** How systems say that the name belongs to a folder that is not empty, or to a file. */
const taken = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'];

/** The number stays, so that a slow claimer of an older one still sees that it has lost. */
function replaceByReleased(folder: string, generation: number): void {
  writeFileSync(path.join(folder, String(generation), 'holder'), '0\n');
}

function remove(folder: string, generation: number): void {
  try {
    rmSync(path.join(folder, String(generation)), { recursive: true, force: true });
  } catch {
    // One that lags behind has just put its draft there; it sees that it has lost and removes it.
  }
}
