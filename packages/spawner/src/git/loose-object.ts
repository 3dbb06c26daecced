import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';

/** An object as it is to be stored. */
export interface NewObject {
  type: 'commit' | 'tree';
  body: Buffer;
}

/** The bytes that are hashed and stored for an object. */
function wholeOf({ type, body }: NewObject): Buffer {
  return Buffer.concat([Buffer.from(`${type} ${body.length}\0`, 'latin1'), body]);
}

/** The id that an object has. */
export function objectId(hash: 'sha1' | 'sha256', object: NewObject): string {
  return createHash(hash).update(wholeOf(object)).digest('hex');
}

/**
 * Stores an object as git does, as a loose file that appears whole or not at all, and gives its id. Like git's own default, it is not
 * flushed to the disk.
 *
 * @param store.objects Absolute folder of the objects of a repository of Baton's own.
 * @param store.hash Name of the hash that the repository uses.
 * @throws what the file system says
 */
export function storeObject(
  { objects, hash }: { objects: string; hash: 'sha1' | 'sha256' },
  object: NewObject,
): string {
  const whole = wholeOf(object);
  const id = createHash(hash).update(whole).digest('hex');
  const folder = path.join(objects, id.slice(0, 2));
  const file = path.join(folder, id.slice(2));
  if (existsSync(file)) return id;
  mkdirSync(folder, { recursive: true });
  const draft = path.join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(draft, deflateSync(whole, { level: 1 }), { flag: 'wx', mode: 0o444 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return id;
}
