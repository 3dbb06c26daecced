import { open, readdir } from 'node:fs/promises';

const mostBytes = 1024 * 1024;

/** The beginning of a file, since lock files may be huge; null: it is no file, or cannot be read. */
export async function readStart(file: string): Promise<string | null> {
  try {
    await using handle = await open(file, 'r');
    if (!(await handle.stat()).isFile()) return null;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return null;
  }
}

/** Names in a folder; none where it cannot be read. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
