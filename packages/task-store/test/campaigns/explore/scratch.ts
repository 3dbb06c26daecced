import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compileCache, plantFault, type PlantedFault } from '@baton/testkit';
import type { ExploreOrder, ExploreReport } from './explore-size.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../../', import.meta.url));
/** What a copy holds: the production's sources, and the world that is bound to them. */
const copied = {
  'fsm-core': ['package.json', 'src'],
  'task-store': ['package.json', 'src', 'sql', 'test/campaigns'],
  testkit: ['package.json', 'src'],
} as const;
const script = 'packages/task-store/test/campaigns/explore/explore-size.ts';

/** A copy of the sources that may be changed, apart from the repository. */
export interface Scratch extends AsyncDisposable {
  /** Changes the copy by a unified diff until it is cleared, or says why the diff does not fit. */
  plant(patch: string): Promise<PlantedFault | { misfit: string }>;
  /** Explores one size after the other in a process of its own, on the copy as it is, until something is found. */
  explore(orders: readonly ExploreOrder[]): Promise<ExploreReport[]>;
}

/**
 * Copies the sources of the packages that decide into a folder for temporary files. Their dependencies are links to the
 * repository's, but for the copied packages themselves, which find one another in the copy.
 */
export async function openScratch(): Promise<Scratch> {
  const folder = await mkdtemp(path.join(await realpath(os.tmpdir()), 'baton-explore-'));
  for (const [name, parts] of Object.entries(copied)) {
    const [from, to] = [path.join(root, 'packages', name), path.join(folder, 'packages', name)];
    for (const part of parts)
      await cp(path.join(from, part), path.join(to, part), { recursive: true, filter: isSource });
    await linkDependencies(from, to, path.join(folder, 'packages'));
  }
  return {
    plant: (patch) => plantFault(folder, patch),
    async explore(orders) {
      const args = [
        '--conditions=@baton/source',
        '--no-warnings',
        path.join(folder, script),
        JSON.stringify(orders),
      ];
      const env = { PATH: process.env['PATH'] ?? '', ...compileCache() };
      const { stdout } = await run(process.execPath, args, { cwd: folder, env, maxBuffer: 2 ** 28 });
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as ExploreReport[];
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The generated client is big, and nothing that decides needs it. */
function isSource(file: string): boolean {
  return !file.includes(`${path.sep}src${path.sep}generated`) && !file.endsWith('.patch');
}

async function linkDependencies(from: string, to: string, packages: string): Promise<void> {
  for (const scope of ['', '@baton']) {
    const folder = path.join(from, 'node_modules', scope);
    await mkdir(path.join(to, 'node_modules', scope), { recursive: true });
    const names = await readdir(folder).catch(() => []);
    for (const name of names) {
      if (name.startsWith('.') || (scope === '' && name.startsWith('@'))) continue;
      const target =
        scope !== '' && name in copied ? path.join(packages, name) : await realpath(path.join(folder, name));
      await symlink(target, path.join(to, 'node_modules', scope, name));
    }
  }
}
