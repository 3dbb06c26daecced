import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { printableJson, type Clock, type Log } from '@baton/contracts';

/** A log in a file: the terminal belongs to the progress. */
export interface FileLog {
  log: Log;
  file: string;
  close(): Promise<void>;
}

/** Opens a log file of JSON lines, appending. */
export async function openFileLog(
  folder: string,
  { name, clock }: { name: string; clock: Clock },
): Promise<FileLog> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${name}.log`);
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  stream.on('error', () => undefined); // a full disk must not end a run: the store has all that matters
  const write = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void stream.write(`${printableJson(JSON.stringify({ at: clock.now(), level, message, ...fields }))}\n`);
  return {
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    file,
    close: () => new Promise((resolve) => stream.end(() => resolve())),
  };
}
