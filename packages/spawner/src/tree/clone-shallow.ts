import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileLock } from '../process/file-lock.ts';

/** Where the histories of a shallow clone end: which lines of its `shallow` file came from the user's repository. */
export interface ShallowRecord {
  /** Takes over what a fetch of ours brought, as far as the user's repository has it too. */
  accept(): Promise<void>;
  /** Puts the file back to what was taken over; true: somebody else had changed it. */
  restore(): boolean;
}

/**
 * Keeps that record, in a file beside the clone. A line counts when it was there when the clone was made, or is in the `shallow` file of
 * the user's repository: a fetch brings just these. So a process need not know of another's fetch, and a planted line hides no history.
 *
 * @param options.source Absolute path of the user's `shallow` file, which need not be there; null: not on this machine.
 * @param options.made What the file held when the clone was made, when the record is not there yet.
 */
export function shallowRecord(options: {
  bare: string;
  source: string | null;
  made?: string;
}): ShallowRecord {
  const file = path.join(options.bare, 'shallow');
  const record = path.join(path.dirname(options.bare), 'clone-shallow');
  if (read(record) === null) write(record, linesOf(options.made ?? read(file)));
  const accepted = (): Set<string> => {
    const known = new Set(linesOf(read(record)));
    const theirs = new Set(options.source === null ? [] : linesOf(read(options.source)));
    for (const line of linesOf(read(file))) if (theirs.has(line)) known.add(line);
    return known;
  };
  return {
    async accept() {
      if (same(accepted(), linesOf(read(record)))) return;
      const lock = await fileLock(`${record}.lock`, () => delay(20));
      try {
        write(record, [...accepted()]);
      } finally {
        lock.release();
      }
    },
    restore() {
      const wanted = accepted();
      const stat = lstatSync(file, { throwIfNoEntry: false });
      const isPlain = stat === undefined || stat.isFile();
      if (isPlain && same(wanted, linesOf(read(file)))) return false;
      rmSync(file, { recursive: true, force: true });
      if (wanted.size > 0) write(file, [...wanted]);
      return true;
    },
  };
}

/** Content of a plain file; null for anything else. Opened so that neither a link nor a pipe is followed or waited for. */
function read(file: string): string | null {
  try {
    const opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return readFileSync(opened, 'latin1');
    } finally {
      closeSync(opened);
    }
  } catch {
    return null;
  }
}

function linesOf(text: string | null): string[] {
  return (text ?? '').split('\n').filter((line) => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(line));
}

function same(set: ReadonlySet<string>, lines: readonly string[]): boolean {
  return set.size === lines.length && lines.every((line) => set.has(line));
}

function write(file: string, lines: readonly string[]): void {
  writeFileSync(`${file}.baton-new`, lines.map((line) => `${line}\n`).join(''));
  renameSync(`${file}.baton-new`, file);
}
