import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mustRun } from '../../run-program.ts';

const root = path.resolve(import.meta.dirname, '../../../../..');

/** The Node that runs the campaign comes first, so that npm and the installed programs run on it too. */
export const env = {
  ...process.env,
  PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
  npm_config_update_notifier: 'false',
  NODE_OPTIONS: '',
};

/** The package manager by the name and version that the repository pins, without asking for it to be installed. */
const pnpm = ['npx', '--yes', 'pnpm@12.21.0'] as const;

/** Packages of this repository that a stranger gets, and what else is installed beside them. */
export interface Wanted {
  packages: readonly string[];
  registry: readonly string[];
}

/** An empty project outside of the repository with the packages installed by npm, removed at the end of the block. */
export interface Project extends AsyncDisposable {
  folder: string;
  /** Size of each tarball in bytes. */
  tarballs: Readonly<Record<string, number>>;
}

/** Builds the packages as a release does. */
export async function build(packages: readonly string[]): Promise<void> {
  const filters = packages.map((name) => `--filter=@baton/${name}`);
  await mustRun([...pnpm, 'exec', 'turbo', 'run', 'build', ...filters], { cwd: root, env });
}

/** Packs what is built, and installs it; with nothing wanted from the registry, npm is kept offline. */
export async function installPacked({ packages, registry }: Wanted): Promise<Project> {
  const home = await mkdtemp(path.join(tmpdir(), 'packed-'));
  // Started by root, Postgres runs under another account, which has to reach its programs here.
  await chmod(home, 0o755);
  const [tarballFolder, folder] = [path.join(home, 'tarballs'), path.join(home, 'project')];
  await mkdir(folder, { recursive: true });
  for (const name of packages) {
    const cwd = path.join(root, 'packages', name);
    await mustRun([...pnpm, 'pack', '--pack-destination', tarballFolder], { cwd, env });
  }
  const tarballs = (await readdir(tarballFolder)).map((name) => path.join(tarballFolder, name));
  await writeFile(
    path.join(folder, 'package.json'),
    '{ "name": "stranger", "private": true, "type": "module" }\n',
  );
  const flags = ['--no-audit', '--no-fund', ...(registry.length === 0 ? ['--offline'] : [])];
  await mustRun(['npm', 'install', ...flags, ...tarballs, ...registry], { cwd: folder, env });
  return {
    folder,
    tarballs: Object.fromEntries(await Promise.all(tarballs.map(sized))),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

async function sized(file: string): Promise<[string, number]> {
  return [path.basename(file), (await stat(file)).size];
}
