import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { BatonError } from '@baton/contracts';
import { z } from 'zod';

/** What an export noted of the files that it wrote, below their folder. */
const manifestName = '.baton-export.json';
const manifest = z.strictObject({
  format: z.literal('baton-export'),
  version: z.literal(1),
  storeId: z.string(),
  /** SHA-256 of each file: before and after, where an export was cut off in between. */
  files: z.record(z.string(), z.array(z.string())),
});
type Manifest = z.infer<typeof manifest>;

/** A folder that files are exported to. */
export interface Destination extends AsyncDisposable {
  /** Where a file is written first, absolute; its folder is there. */
  stage(file: string): Promise<string>;
  /**
   * Puts all staged files in their places, each at once, and removes tickets of an earlier export that are in another folder now, unless
   * they were changed.
   *
   * @throws CONFLICT when one would replace what no export of this store wrote, or what was changed since; then none is put anywhere
   */
  finish(): Promise<void>;
}

/** @param options.force replaces what is there, whatever it is */
export async function openDestination(
  dir: string,
  options: { storeId: string; force: boolean },
): Promise<Destination> {
  const draft = path.join(dir, `.baton-export-${process.pid}`);
  await mkdir(draft, { recursive: true });
  const staged = new Set<string>();
  return {
    async stage(file) {
      staged.add(file);
      await mkdir(path.dirname(path.join(draft, file)), { recursive: true });
      return path.join(draft, file);
    },
    finish: () => putAll({ dir, draft, files: [...staged], ...options }),
    [Symbol.asyncDispose]: () => rm(draft, { recursive: true, force: true }),
  };
}

interface Putting {
  dir: string;
  draft: string;
  files: readonly string[];
  storeId: string;
  force: boolean;
}

async function putAll({ dir, draft, files, storeId, force }: Putting): Promise<void> {
  const before = await readManifest(dir);
  const own = before?.storeId === storeId ? before.files : {};
  const after: Record<string, string[]> = {};
  const there = new Map<string, string | null>();
  for (const file of files) {
    const now = await hashOf(path.join(dir, file));
    const hash = (await hashOf(path.join(draft, file))) ?? '';
    after[file] = [hash];
    there.set(file, now);
    if (!force && now !== null && now !== hash && own[file]?.includes(now) !== true)
      throw inTheWay(path.join(dir, file));
  }
  const write = async (noted: Manifest['files']): Promise<void> => {
    const text: Manifest = { format: 'baton-export', version: 1, storeId, files: noted };
    await writeFile(path.join(draft, manifestName), `${JSON.stringify(text, null, 2)}\n`);
    await rename(path.join(draft, manifestName), path.join(dir, manifestName));
  };
  const both = Object.entries(after).map(([file, hashes]) => [file, [...(own[file] ?? []), ...hashes]]);
  await write({ ...own, ...(Object.fromEntries(both) as Manifest['files']) });
  for (const file of files) {
    await mkdir(path.dirname(path.join(dir, file)), { recursive: true });
    await putFile(path.join(draft, file), path.join(dir, file), {
      replace: force || there.get(file) !== null,
    });
  }
  const kept = { ...own };
  for (const [file, hashes] of Object.entries(own).filter(([one]) => isMoved(one, files))) {
    const place = path.join(dir, file);
    if (hashes.includes((await hashOf(place)) ?? '')) await rm(place);
    delete kept[file];
  }
  await write({ ...kept, ...after });
}

/** Whether a ticket is in another folder of the backlog now. */
function isMoved(file: string, files: readonly string[]): boolean {
  const isTicket = (one: string) => one.startsWith('backlog/');
  return (
    isTicket(file) &&
    !files.includes(file) &&
    files.some((one) => isTicket(one) && path.basename(one) === path.basename(file))
  );
}

/** Puts a file in a place at once; one that appeared there just now stays. @throws CONFLICT */
export async function putFile(from: string, to: string, { replace }: { replace: boolean }): Promise<void> {
  if (!replace) {
    try {
      await link(from, to);
      return await rm(from);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw inTheWay(to);
      // A file system without links: it was free a moment ago.
    }
  }
  await rename(from, to).catch((cause: unknown) => {
    throw inTheWay(to, cause);
  });
}

/** Refuses a place that holds something. @throws CONFLICT */
export async function requireFree(file: string): Promise<void> {
  if ((await lstat(file).catch(() => null)) !== null) throw inTheWay(file);
}

function inTheWay(file: string, cause?: unknown): BatonError {
  return new BatonError('CONFLICT', `${file} is there, and is not what an export of this store left.`, {
    at: file,
    fix: 'Name another place, move it away, or replace it with --force.',
    cause,
  });
}

async function readManifest(dir: string): Promise<Manifest | null> {
  try {
    return manifest.parse(JSON.parse(await readFile(path.join(dir, manifestName), 'utf8')));
  } catch {
    return null; // none, or not one of ours: then every file there is somebody's
  }
}

/** SHA-256 of a file; null: nothing is there; `other`: it is no file. */
async function hashOf(file: string): Promise<string | null> {
  const stat = await lstat(file).catch(() => null);
  if (stat === null) return null;
  if (!stat.isFile()) return 'other';
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
