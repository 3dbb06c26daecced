import { cp, lstat, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { faultMisfit, plantFault, type PlantedFault } from '@baton/testkit';
import { mustRun } from '../../run-program.ts';

/** The repository that is copied. */
export const root = path.resolve(import.meta.dirname, '../../../../..');

/** A copy of the repository to plant faults in, removed at the end of the block. */
export interface Scratch extends AsyncDisposable {
  folder: string;
  /** Why a patch does not fit the sources of today, or null; nothing is planted. */
  misfit(patch: string): Promise<string | null>;
  /** Plants a fault; why the patch does not fit the sources of today, or null. */
  plant(patch: string): Promise<string | null>;
  /** Takes what is planted out again. */
  clear(): Promise<void>;
}

/**
 * Copies every file that git knows or would take, and the generated Prisma client. What is installed is shared: the packages'
 * own `node_modules` hold links that are relative, so that in the copy they lead to the copied packages.
 */
export async function makeScratch(): Promise<Scratch> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mutants-'));
  const listed = await mustRun(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  const files = listed.stdout.split('\0').filter((file) => file !== '');
  for (const file of [...files, 'packages/task-store/src/generated']) await copy(folder, file);
  for (const file of files.filter((name) => name.endsWith('/package.json'))) {
    // What is built serves the few things that are not resolved to sources, such as vitest's global set-up.
    for (const name of ['node_modules', 'dist']) await copy(folder, path.join(path.dirname(file), name));
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  // Tests that look for the repository's root find one that is not ours.
  await mustRun(['git', 'init', '--quiet'], { cwd: folder });
  let planted: PlantedFault | null = null;
  return {
    folder,
    misfit: (patch) => faultMisfit(folder, patch),
    async plant(patch) {
      const fault = await plantFault(folder, patch);
      if ('misfit' in fault) return fault.misfit;
      planted = fault;
      return null;
    },
    async clear() {
      await planted?.clear();
      planted = null;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function copy(folder: string, file: string): Promise<void> {
  const [from, to] = [path.join(root, file), path.join(folder, file)];
  if ((await lstat(from).catch(() => null)) === null) return;
  await mkdir(path.dirname(to), { recursive: true });
  const isCache = (name: string) => /[/\\]node_modules[/\\]\.vite/.test(name);
  await cp(from, to, { recursive: true, verbatimSymlinks: true, filter: (name) => !isCache(name) });
}
