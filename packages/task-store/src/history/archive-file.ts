import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { BatonError } from '@baton/contracts';
import { z } from 'zod';

const suffix = '.archive.jsonl';
const header = z.strictObject({
  format: z.literal('baton-archive'),
  version: z.literal(1),
  storeId: z.string(),
});
const trailer = z.strictObject({
  end: z.strictObject({ events: z.number().int(), sha256: z.string() }),
});

/**
 * Writes one file of archived changes, whole or not at all: a head, one change a line as its row in JSON, and an end with count
 * and SHA-256 of all before it. It is on the disk when this returns.
 */
export async function writeArchiveFile(
  dir: string,
  { name, storeId, lines }: { name: string; storeId: string; lines: readonly string[] },
): Promise<string> {
  await mkdir(dir, { recursive: true });
  const body = [JSON.stringify({ format: 'baton-archive', version: 1, storeId }), ...lines]
    .map((line) => `${line}\n`)
    .join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  const file = path.join(dir, `${name}${suffix}`);
  const half = `${file}.part`;
  const handle = await open(half, 'w', 0o600);
  try {
    await handle.writeFile(`${body}${JSON.stringify({ end: { events: lines.length, sha256 } })}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(half, file);
  const folder = await open(dir, 'r');
  await folder.sync().finally(() => folder.close());
  return file;
}

/** The files of an archive, oldest first. */
export async function archiveFiles(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw cause;
  });
  return names
    .filter((name) => name.endsWith(suffix))
    .sort()
    .map((name) => path.join(dir, name));
}

/** The changes of one file, as JSON text. @throws RECORD_FILE_INVALID naming file and line; for a file that was cut or changed */
export async function* readArchiveFile(file: string, storeId: string): AsyncGenerator<string> {
  const bad = (line: number, what: string, cause?: unknown) =>
    new BatonError('RECORD_FILE_INVALID', `${file}:${line}: ${what}`, {
      at: `${file}:${line}`,
      fix: 'Put the file back from a copy; an archive is never edited.',
      cause,
    });
  const hash = createHash('sha256');
  let held: string | undefined;
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    if (held !== undefined) {
      hash.update(`${held}\n`);
      if (number === 2) checkHead(held);
      else yield held;
    }
    held = line;
  }
  const end = trailer.safeParse(held === undefined ? undefined : parse(held, number));
  if (!end.success) throw bad(number, 'the end of the file is missing');
  if (end.data.end.events !== number - 2 || end.data.end.sha256 !== hash.digest('hex'))
    throw bad(number, 'its count or its SHA-256 is not that of the lines before it');

  function parse(line: string, at: number): unknown {
    try {
      return JSON.parse(line);
    } catch (cause) {
      throw bad(at, 'no JSON', cause);
    }
  }
  function checkHead(line: string): void {
    const head = header.safeParse(parse(line, 1));
    if (!head.success) throw bad(1, 'this is no archive of a version that this program knows');
    if (head.data.storeId !== storeId) throw bad(1, `it is of another store (${head.data.storeId})`);
  }
}
