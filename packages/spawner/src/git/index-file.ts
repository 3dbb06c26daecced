import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { readCachedTrees, type CachedTree } from './cached-trees.ts';
import type { LatinPath } from './tree-object.ts';

/** An entry of an index. */
export interface IndexEntry {
  /** Six octal digits, as git shows it. */
  readonly mode: string;
  readonly id: string;
  /** When its file was last written, as git saw it: whole seconds since 1970. */
  readonly writtenS: number;
}

/** An entry where it is in the file: of most of thousands only the path is asked for. */
class EntryAt implements IndexEntry {
  readonly #data: Buffer;
  readonly #at: number;
  readonly #idBytes: number;

  constructor(data: Buffer, at: number, idBytes: number) {
    this.#data = data;
    this.#at = at;
    this.#idBytes = idBytes;
  }

  get writtenS(): number {
    return this.#data.readUInt32BE(this.#at + writtenAt);
  }

  get mode(): string {
    return (this.#data.readUInt32BE(this.#at + modeAt) & 0xffff).toString(8).padStart(6, '0');
  }

  get id(): string {
    const at = this.#at + statBytes;
    return this.#data.toString('hex', at, at + this.#idBytes);
  }
}

const largest = 256 * 1024 * 1024;
const headBytes = 12;
/** Times, device, inode, mode, owner and size come before the id. */
const statBytes = 40;
const writtenAt = 8;
const modeAt = 24;
const extended = 0x4000;
const stages = 0x3000;
/** An entry that is announced, and has no content yet. */
const intentToAdd = 0x2000;
/** Extensions whose names begin with a small letter change what the entries mean. */
const optional = /^[A-Z]{4}$/;

/** An index, as far as it is read without git. */
export interface ReadIndex {
  /** By path, in git's order. */
  entries: Map<LatinPath, IndexEntry>;
  /** Trees that it was written with; null: none. */
  cached: CachedTree | null;
}

/**
 * The entries of an index, by path; null: the file is of a form that only git reads, such as one that is split or sparse, or that holds a
 * conflict.
 *
 * @param idBytes Bytes of an id: 20, or 32 where the repository uses SHA-256.
 */
export function readIndexFile(file: string, idBytes: number): ReadIndex | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= largest ? readIndex(readFileSync(file), idBytes) : null;
}

/** {@link readIndexFile} of its bytes. Pure. */
export function readIndex(data: Buffer, idBytes: number): ReadIndex | null {
  if (data.length < headBytes + idBytes || data.toString('latin1', 0, 4) !== 'DIRC') return null;
  const [version, count] = [data.readUInt32BE(4), data.readUInt32BE(8)];
  if (version < 2 || version > 4) return null;
  const entries = new Map<LatinPath, IndexEntry>();
  const end = data.length - idBytes;
  let at = headBytes;
  let last: LatinPath = '';
  for (let read = 0; read < count; read += 1) {
    const next = readEntry(data, { at, end, version, idBytes, last });
    if (next === null) return null;
    ({ at } = next);
    last = next.name;
    entries.set(next.name, next.entry);
  }
  let cached: CachedTree | null = null;
  for (let size = 0; at < end; at += 8 + size) {
    const name = data.toString('latin1', at, at + 4);
    if (at + 8 > end || !optional.test(name)) return null;
    size = data.readUInt32BE(at + 4);
    if (name === 'TREE') cached = readCachedTrees(data.subarray(at + 8, at + 8 + size), idBytes);
  }
  return at === end && entries.size === count && isWhole(data, end) ? { entries, cached } : null;
}

/** Whether the checksum at the end is that of the rest; a setting makes git leave it out. */
function isWhole(data: Buffer, end: number): boolean {
  const sum = data.subarray(end);
  if (sum.every((byte) => byte === 0)) return true;
  const hash = sum.length === 20 ? 'sha1' : 'sha256';
  return createHash(hash).update(data.subarray(0, end)).digest().equals(sum);
}

function readEntry(
  data: Buffer,
  {
    at,
    end,
    version,
    idBytes,
    last,
  }: { at: number; end: number; version: number; idBytes: number; last: LatinPath },
): { name: LatinPath; entry: IndexEntry; at: number } | null {
  const flagsAt = at + statBytes + idBytes;
  if (flagsAt + 4 > end) return null;
  const flags = data.readUInt16BE(flagsAt);
  const isExtended = (flags & extended) !== 0;
  if ((flags & stages) !== 0) return null;
  if (isExtended && (data.readUInt16BE(flagsAt + 2) & intentToAdd) !== 0) return null;
  let nameAt = flagsAt + (isExtended ? 4 : 2);
  let kept = '';
  if (version === 4) {
    const cut = readCount(data, nameAt);
    if (cut === null || cut.value > last.length) return null;
    kept = last.slice(0, last.length - cut.value);
    nameAt = cut.at;
  }
  const nameEnd = data.indexOf(0, nameAt);
  if (nameEnd < 0 || nameEnd >= end) return null;
  const length = nameEnd - at;
  return {
    name: kept + data.toString('latin1', nameAt, nameEnd),
    entry: new EntryAt(data, at, idBytes),
    // Before version 4 an entry is filled up with one to eight zeros.
    at: version === 4 ? nameEnd + 1 : at + length + 8 - (length % 8),
  };
}

/** A number as packs and indexes of version 4 have it: seven bits a byte, the first ones first. */
function readCount(data: Buffer, from: number): { value: number; at: number } | null {
  let value = 0;
  for (let at = from; at < from + 4 && at < data.length; at += 1) {
    const byte = data[at] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, at: at + 1 };
    value += 1;
  }
  return null;
}
