import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

/** The log of one agent session: redacted, and never longer than its bound. */
export interface SessionLog {
  /** Appends text; the caller gives whole lines. It reaches the disk within 50 ms. */
  write(text: string): void;
  /** Writes what still waits. */
  flush(): void;
}

const flushMs = 50;

/** What waits to be written, of all logs: one timer for them, however many agents speak. */
const due = new Set<() => void>();

function soon(flush: () => void): void {
  if (due.size === 0) setTimeout(flushAll, flushMs).unref();
  due.add(flush);
}

function flushAll(): void {
  const flushes = [...due];
  due.clear();
  for (const flush of flushes) flush();
}

/**
 * Opens the log of a session. When the file reaches half of the bound it becomes `<file>.1`, in place of the one
 * before, so that the newest half is always there. Of a flood, what would be rotated away before it could be read is
 * dropped at once: redacting a gigabyte takes longer than printing it. What cannot be written, as on a full disk, ends neither the agent nor
 * this process: the log says how much is missing once it can be written again.
 *
 * @param options.file Absolute path; null: nothing is written.
 * @param options.redact Takes secrets out; what goes to disk has passed it.
 * @throws what the file system says where the folder of the log cannot be made
 */
export function openSessionLog(options: {
  file: string | null;
  maxBytes: number;
  redact: (text: string) => string;
}): SessionLog {
  const { file, maxBytes, redact } = options;
  if (file === null) return { write: () => undefined, flush: () => undefined };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const half = Math.floor(maxBytes / 2);
  const write = boundedFile(file, half);
  const lost = { bytes: 0, why: '' };
  let waiting: string[] = [];
  let waitingLength = 0;
  const append = (text: string): void => {
    const piece = Buffer.from(redact(text)).subarray(0, half);
    const gap = lost.bytes === 0 ? '' : `[${lost.bytes} bytes could not be written here: ${lost.why}]\n`;
    try {
      write(Buffer.concat([Buffer.from(gap), piece]));
      lost.bytes = 0;
    } catch (error) {
      lost.bytes += piece.length;
      lost.why = (error as NodeJS.ErrnoException).code ?? String(error);
    }
  };
  const flush = (): void => {
    const texts = waiting;
    waiting = [];
    waitingLength = 0;
    for (const text of texts) append(text);
  };
  return {
    write(text) {
      waiting.push(text);
      waitingLength += text.length;
      while (waitingLength > maxBytes && waiting.length > 1) waitingLength -= waiting.shift()?.length ?? 0;
      soon(flush);
    },
    flush,
  };
}

/** A file that is put aside when it would grow beyond half of the bound. */
function boundedFile(file: string, half: number) {
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const append = (piece: Buffer): void => {
    if (bytes > 0 && bytes + piece.length > half) {
      renameSync(file, `${file}.1`);
      bytes = 0;
    }
    appendFileSync(file, piece, { mode: 0o600 });
    bytes += piece.length;
  };
  return (piece: Buffer): void => {
    try {
      append(piece);
    } catch (error) {
      // Somebody may have removed the whole folder, as cleaners do.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      bytes = 0;
      append(piece);
    }
  };
}
