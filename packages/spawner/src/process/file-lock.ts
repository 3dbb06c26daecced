import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beginBeat, endBeat, isSilent, readBeat, writeFirstBeat } from './lock-beat.ts';
import { hostOf, isBeforeReboot, isOtherSpace, ownSpace } from './lock-space.ts';
import { isCrowded } from './no-room.ts';
import { isAlive, processStart } from './process-table.ts';

/** A lock that is held until released or until the process that holds it is dead. */
export interface FileLock {
  release(): void;
}

let counter = 0;

/**
 * Takes a lock between processes, or returns null when a living process holds it.
 *
 * A holder on another host or in another container that shares the folder is never judged by its pid, which means nothing here, but by a
 * beat that it renews: see `lock-beat.ts`.
 *
 * The lock is a folder of numbered generations, each a folder naming its holder (pid, start time and where the pid counts); the highest counts. A
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

/** The host of the process that holds a lock elsewhere, where its pid cannot be looked up; null: none does, or a process of this host. */
export function holderElsewhere(folder: string): string | null {
  try {
    const top = generations(folder).at(-1);
    if (top === undefined || !isHeld(folder, top)) return null;
    const [, , space = ''] = readHolder(path.join(folder, String(top))).split('\n');
    return isOtherSpace(space) ? hostOf(space) : null;
  } catch {
    return null;
  }
}

/**
 * Waits until it is known of each lock that is held elsewhere whether its holder lives: its beat changed, or stayed the same for long enough.
 * `wait` is called between two looks.
 */
export async function judgeElsewhere(folders: readonly string[], wait: () => Promise<void>): Promise<void> {
  const isHeldElsewhere = (folder: string) => holderElsewhere(folder) !== null;
  let open = folders.filter(isHeldElsewhere).map((folder) => ({ folder, beat: beatIn(folder) }));
  while (open.length > 0) {
    await wait();
    open = open.filter(({ folder, beat }) => isHeldElsewhere(folder) && beatIn(folder) === beat);
  }
}

function beatIn(folder: string): string {
  return readBeat(path.join(folder, String(generations(folder).at(-1) ?? 0)));
}

function generations(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

function isHeld(folder: string, generation: number): boolean {
  try {
    const place = path.join(folder, String(generation));
    const [pid = '', pidStarted = '', space = ''] = readHolder(place).split('\n');
    if (!(Number(pid) > 0)) return false;
    if (isOtherSpace(space)) return !isBeforeReboot(space) && !isSilent(place);
    return isAlive({ pid: Number(pid), pidStarted });
  } catch (error) {
    if (isCrowded(error)) throw error; // who holds it is not known
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
  writeFileSync(
    path.join(draft, 'holder'),
    [process.pid, processStart(process.pid) ?? '', ownSpace(), ''].join('\n'),
  );
  writeFirstBeat(draft);
  const place = path.join(folder, String(generation));
  try {
    renameSync(draft, place);
    beginBeat(place);
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
  const place = path.join(folder, String(generation));
  endBeat(place);
  try {
    writeFileSync(path.join(place, 'holder'), '0\n');
  } catch (error) {
    // Another host took it, since this one was silent for long.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function remove(folder: string, generation: number): void {
  endBeat(path.join(folder, String(generation)));
  try {
    rmSync(path.join(folder, String(generation)), { recursive: true, force: true });
  } catch {
    // One that lags behind has just put its draft there; it sees that it has lost and removes it.
  }
}
