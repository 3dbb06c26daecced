import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { ObjectContent } from './content-reader.ts';

const types: Readonly<Record<string, number>> = { commit: 1, tree: 2, blob: 3 };

/** The bytes of a pack, version 2, that holds these objects in full. Pure. */
export function writePack(hash: 'sha1' | 'sha256', objects: readonly ObjectContent[]): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(objects.length, 8);
  const parts = objects.flatMap(({ type, body }) => [
    entryHead(types[type] ?? 0, body.length),
    deflateSync(body, { level: 1 }),
  ]);
  const whole = Buffer.concat([head, ...parts]);
  return Buffer.concat([whole, createHash(hash).update(whole).digest()]);
}

/** Type and size: four bits of the size in the first byte, then seven in each, the last ones first. */
function entryHead(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 0x0f)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push((bytes.pop() ?? 0) | 0x80, rest & 0x7f);
  }
  return Buffer.from(bytes);
}
