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

/**
 * Opens the log of a session. When the file reaches half of the bound it becomes `<file>.1`, in place of the one
 * before, so that the newest half is always there. Of a flood, what would be rotated away before it could be read is
 * dropped at once: redacting a gigabyte takes longer than printing it.
 *
 * @param options.file Absolute path; null: nothing is written.
 * @param options.redact Takes secrets out; what goes to disk has passed it.
 */
export function openSessionLog(options: {
  file: string | null;
  maxBytes: number;
  redact: (text: string) => string;
}): SessionLog {
  const { file, maxBytes, redact } = options;
  if (file === null) return { write: () => undefined, flush: () => undefined };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let waiting: string[] = [];
  let waitingLength = 0;
  let timer: NodeJS.Timeout | undefined;
  const append = (text: string): void => {
    const clean = Buffer.from(redact(text));
    const piece = clean.subarray(0, Math.floor(maxBytes / 2));
    if (bytes > 0 && bytes + piece.length > maxBytes / 2) {
      renameSync(file, `${file}.1`);
      bytes = 0;
    }
    appendFileSync(file, piece, { mode: 0o600 });
    bytes += piece.length;
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
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
      timer ??= setTimeout(flush, flushMs).unref();
    },
    flush,
  };
}
