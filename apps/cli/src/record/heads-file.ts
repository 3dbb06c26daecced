import { readFile, rename, writeFile } from 'node:fs/promises';

import { BatonError } from '@baton/contracts';
import type { AuditHead, Store } from '@baton/task-store';
import { z } from 'zod';

const header = z.strictObject({
  format: z.literal('baton-heads'),
  version: z.literal(1),
  storeId: z.string(),
});
const head = z.strictObject({
  machine: z.string().min(1),
  entityId: z.uuid(),
  seq: z.number().int(),
  note: z.number().int(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});
const pageSize = 5_000;

/** Writes the newest event of every entity, a line each, whole or not at all; returns how many. */
export async function writeHeads(store: Store, file: string): Promise<number> {
  const lines = [JSON.stringify({ format: 'baton-heads', version: 1, storeId: store.storeId })];
  let last: AuditHead | undefined;
  do {
    const page: AuditHead[] = await store.auditHeads({
      limit: pageSize,
      ...(last && { after: { machine: last.machine, entityId: last.entityId } }),
    });
    lines.push(...page.map((each) => JSON.stringify(each)));
    last = page.length < pageSize ? undefined : page.at(-1);
  } while (last !== undefined);
  const half = `${file}.part`;
  await writeFile(half, `${lines.join('\n')}\n`).catch((cause: unknown) => {
    throw new BatonError('STATE_UNWRITABLE', `${file} cannot be written.`, {
      at: file,
      fix: 'Name a file in a folder that you may write to.',
      cause,
    });
  });
  await rename(half, file);
  return lines.length - 1;
}

/** Reads heads that were written before. @throws FILE_MISSING; RECORD_FILE_INVALID naming file and line */
export async function readHeads(store: Store, file: string): Promise<AuditHead[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new BatonError('FILE_MISSING', `${file} cannot be read.`, {
      at: file,
      fix: 'Write one with `baton verify-audit --write-heads FILE`.',
      cause,
    });
  });
  const [first = '', ...lines] = text.trimEnd().split('\n');
  const known = header.safeParse(parse(first));
  if (!known.success) throw invalid(file, 1, 'is no file of heads of a version that this program knows');
  if (known.data.storeId !== store.storeId)
    throw invalid(file, 1, `holds the heads of another store (${known.data.storeId})`);
  return lines.map((line, at) => {
    const read = head.safeParse(parse(line));
    if (!read.success) throw invalid(file, at + 2, 'is not a head');
    return read.data;
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // said by the schema
  }
}

function invalid(file: string, line: number, what: string): BatonError {
  return new BatonError('RECORD_FILE_INVALID', `${file}:${line} ${what}.`, {
    at: `${file}:${line}`,
    fix: 'Name a file that `baton verify-audit --write-heads FILE` wrote for this store.',
  });
}
