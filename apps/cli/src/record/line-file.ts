import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { BatonError } from '@baton/contracts';

/** Writes lines to a new file; it is on the disk when this returns. Returns how many. */
export async function writeLines(file: string, lines: AsyncIterable<string>): Promise<number> {
  let count = 0;
  const numbered = async function* () {
    for await (const line of lines) {
      count += 1;
      yield `${line}\n`;
    }
  };
  await pipeline(Readable.from(numbered()), createWriteStream(file, { mode: 0o600, flags: 'wx' }));
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
  return count;
}

/** The lines of a file, one at a time. @throws FILE_MISSING */
export async function* readLines(file: string): AsyncGenerator<string> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new BatonError('FILE_MISSING', `${file} cannot be read.`, {
      at: file,
      fix: 'Name a file or folder that `baton export` wrote, or one with a "backlog" in it.',
      cause,
    });
  });
  await handle.close();
  yield* createInterface({ input: createReadStream(file), crlfDelay: Infinity });
}
