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

/** An empty project outside of the repository with packages installed by npm, removed at the end of the block. */
export interface Project extends AsyncDisposable {
  folder: string;
  /** Where the tarballs are. */
  tarballFolder: string;
  /** Size of each tarball in bytes. */
  tarballs: Readonly<Record<string, number>>;
}

/** The kernel as it is built, which needs nothing from a registry. */
export function installKernel(): Promise<Project> {
  const cwd = path.join(root, 'packages/fsm-core');
  return install({
    pack: async (folder) => {
      await mustRun([...pnpm, 'pack', '--pack-destination', folder], { cwd, env });
    },
    flags: ['--offline'],
    registry: [],
  });
}

/** Everything that is packed for others, built as a release does. */
export function installAll(): Promise<Project> {
  return install({
    pack: async (folder) => {
      await mustRun([process.execPath, path.join(root, 'tooling/run.mjs'), 'pack', folder], {
        cwd: root,
        env,
      });
    },
    flags: [],
    registry: ['typescript@6.0.3', '@types/node@24'],
  });
}

async function install({
  pack,
  flags,
  registry,
}: {
  pack: (tarballFolder: string) => Promise<void>;
  flags: readonly string[];
  registry: readonly string[];
}): Promise<Project> {
  const home = await mkdtemp(path.join(tmpdir(), 'packed-'));
  // Started by root, Postgres runs under another account, which has to reach its programs here.
  await chmod(home, 0o755);
  const [tarballFolder, folder] = [path.join(home, 'tarballs'), path.join(home, 'project')];
  await mkdir(folder, { recursive: true });
  await pack(tarballFolder);
  const tarballs = (await readdir(tarballFolder)).map((name) => path.join(tarballFolder, name));
  await writeFile(
    path.join(folder, 'package.json'),
    '{ "name": "stranger", "private": true, "type": "module" }\n',
  );
  // The command holds the other packages, and is installed by itself.
  const parts = tarballs.filter((file) => !path.basename(file).startsWith('baton-cli-'));
  await mustRun(['npm', 'install', '--no-audit', '--no-fund', ...flags, ...parts, ...registry], {
    cwd: folder,
    env,
  });
  return {
    folder,
    tarballFolder,
    tarballs: Object.fromEntries(await Promise.all(tarballs.map(sized))),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

async function sized(file: string): Promise<[string, number]> {
  return [path.basename(file), (await stat(file)).size];
}
