import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder that is deleted with all in it at the end of the `await using` block. */
export interface TempDir extends AsyncDisposable {
  /** Absolute, without symbolic links. */
  readonly path: string;
}

/** Makes an empty folder, mode 0700, in the system's folder for temporary files. */
export async function tempDir(): Promise<TempDir> {
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), 'baton-test-'));
  return {
    path: folder,
    // Retries: a process that is just being killed may still write into it.
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}
