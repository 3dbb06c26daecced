import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';

/** The log of one agent session: redacted, and never longer than its bound. */
export interface SessionLog {
  /** Appends text; the caller gives whole lines. */
  write(text: string): void;
}

/**
 * Opens the log of a session. When the file reaches half of the bound it becomes `<file>.1`, in place of the one
 * before, so that the newest half is always there.
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
  if (file === null) return { write: () => undefined };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return {
    write(text) {
      const clean = Buffer.from(redact(text));
      const piece = clean.subarray(0, Math.floor(maxBytes / 2));
      if (bytes > 0 && bytes + piece.length > maxBytes / 2) {
        renameSync(file, `${file}.1`);
        bytes = 0;
      }
      appendFileSync(file, piece, { mode: 0o600 });
      bytes += piece.length;
    },
  };
}
