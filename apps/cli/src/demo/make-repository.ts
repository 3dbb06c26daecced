import { cp, mkdir, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { BatonError, type Git } from '@baton/contracts';
import { makeStateFolder } from '@baton/service/state-folder';
import { projectState } from '@baton/worker';

import { demoState, isLeftAsIs, type DemoPlace } from './left-as-is.ts';

/** Parts of the published package that the repository is made of; its licence is one of them. */
const packageFiles = ['lib', 'test', '.github', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE.md'];

/** Demonstrations that are kept; older ones that were not changed are removed when a new one is made. */
const kept = 3;

/** A repository made from the published source of qs, with the plan that modernises it. */
export interface DemoRepository {
  /** Absolute path of the repository. */
  root: string;
  /** Absolute path of its plan. */
  planFile: string;
  /** Name and version of the package it was made from. */
  origin: string;
  /** Folder of the logs of its runs. */
  logsDir: string;
  /** Its own state, of {@link demoState}, before any run. */
  asMade: string | null;
  /** Absolute paths of older demonstrations that stay because they were changed, or did not end. */
  changed: string[];
}

/**
 * Makes the repository of the demonstration in `home`.
 * @throws FILE_MISSING when the demonstration's package is not installed; STATE_UNWRITABLE
 */
export async function makeDemoRepository(options: {
  home: string;
  git: Git;
  stamp: string;
}): Promise<DemoRepository> {
  const source = demoPackage();
  const qs = await realpath(path.join(source, 'node_modules', 'qs'));
  const demos = path.join(options.home, 'demo');
  const root = path.join(demos, `qs-${options.stamp}`);
  await makeStateFolder(demos);
  await mkdir(root);
  const changed = await removeOld(options, { demos, current: path.basename(root) });
  for (const name of packageFiles)
    await cp(path.join(qs, name), path.join(root, name), { recursive: true, dereference: true });
  for (const name of ['tools', 'plan.yaml'])
    await cp(path.join(source, name), path.join(root, name), { recursive: true });
  await writeFile(path.join(root, '.gitignore'), 'node_modules\n');
  await linkModules(path.join(source, 'node_modules'), path.join(root, 'node_modules'));
  const { version } = createRequire(import.meta.url)(path.join(qs, 'package.json')) as { version: string };
  await commitAll(options.git, { root, message: `Import qs ${version} as published` });
  const { logsDir } = placeOf(options.home, await realpath(root));
  const asMade = await demoState(options.git, { root, logsDir }, { own: true });
  const planFile = path.join(root, 'plan.yaml');
  return { root, planFile, origin: `qs ${version}`, logsDir, asMade, changed };
}

function demoPackage(): string {
  try {
    return path.dirname(createRequire(import.meta.url).resolve('@baton/demo/package.json'));
  } catch (cause) {
    throw new BatonError('FILE_MISSING', 'The demonstration is not part of this installation.', {
      cause,
      fix: 'Run `npm start` in a clone of the repository, or try `baton init` in a repository of yours.',
    });
  }
}

/** The folder holds absolute links, so that a copy of it in a worktree finds the same packages. */
async function linkModules(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(from)) {
    if (!name.startsWith('.'))
      await symlink(await realpath(path.join(from, name)), path.join(to, name), 'dir');
  }
}

async function commitAll(git: Git, { root, message }: { root: string; message: string }): Promise<void> {
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '--all'],
    ['commit', '--quiet', '-m', message],
  ]) {
    const result = await git(args, { cwd: root });
    if (result.exitCode !== 0)
      throw new BatonError('GIT_FAILED', `git ${args[0]} failed: ${result.stderr.trim()}`, { at: root });
  }
}

/** Older demonstrations go with all that Baton keeps for them, unless somebody worked in them. Returns those that stay for that. */
async function removeOld(
  { home, git }: { home: string; git: Git },
  { demos, current }: { demos: string; current: string },
): Promise<string[]> {
  const entries = await readdir(demos, { withFileTypes: true });
  const old = entries
    .filter((one) => one.isDirectory() && /^qs-.*\d$/.test(one.name) && one.name !== current)
    .map(({ name }) => name)
    .sort();
  const changed: string[] = [];
  for (const name of old.slice(0, Math.max(0, old.length - (kept - 1)))) {
    const place = placeOf(home, await realpath(path.join(demos, name)));
    if (!(await isLeftAsIs(git, place))) {
      changed.push(place.root);
      continue;
    }
    await rm(place.stateDir, { recursive: true, force: true });
    await rm(place.root, { recursive: true, force: true });
  }
  return changed;
}

function placeOf(home: string, root: string): DemoPlace & { stateDir: string } {
  const { dir, logsDir } = projectState({ home, repoRoot: root });
  return { root, stateDir: dir, logsDir };
}
