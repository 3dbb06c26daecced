import { appendFile, readFile } from 'node:fs/promises';

import { BatonError } from '@baton/contracts';
import type { AuditHead, Store } from '@baton/task-store';
import { z } from 'zod';

const line = z.strictObject({
  storeId: z.string(),
  next: z.number().int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.iso.datetime(),
});

/** A head as it is printed and given back: `POSITION:HASH`. */
export const headText = ({ next, hash }: AuditHead): string => `${next}:${hash}`;

/** Reads a head that was printed before. @throws INVALID_INPUT */
export function parseHead(text: string): AuditHead {
  const [, next, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (next === undefined || hash === undefined)
    throw new BatonError('INVALID_INPUT', `"${text}" is no head.`, {
      at: '--head',
      fix: 'Give it as `baton verify-audit` printed it: the position, a colon and 64 hexadecimal digits.',
    });
  return { next: Number(next), hash };
}

/** Adds the head to a file, one line each time. */
export async function writeHead(
  head: AuditHead,
  { file, store, now }: { file: string; store: Store; now: Date },
): Promise<void> {
  const text = JSON.stringify({ storeId: store.storeId, ...head, at: now.toISOString() });
  await appendFile(file, `${text}\n`).catch((cause: unknown) => {
    throw new BatonError('STATE_UNWRITABLE', `${file} cannot be written.`, {
      at: file,
      fix: 'Name a file in a folder that you may write to.',
      cause,
    });
  });
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
  return text
    .trimEnd()
    .split('\n')
    .map((each, at) => {
      const read = line.safeParse(parse(each));
      if (!read.success) throw invalid(file, at + 1, 'is not a head');
      const { storeId, next, hash } = read.data;
      if (storeId !== store.storeId) throw invalid(file, at + 1, `is a head of another store (${storeId})`);
      return { next, hash };
    });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // said by the schema
  }
}

function invalid(file: string, at: number, what: string): BatonError {
  return new BatonError('RECORD_FILE_INVALID', `${file}:${at} ${what}.`, {
    at: `${file}:${at}`,
    fix: 'Name a file that `baton verify-audit --write-heads FILE` wrote for this store.',
  });
}
