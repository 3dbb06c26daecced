import { cp, mkdir, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { BatonError, type Git } from '@baton/contracts';
import { projectState } from '@baton/worker';

/** Parts of the published package that the repository is made of; its licence is one of them. */
const packageFiles = ['lib', 'test', '.github', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE.md'];

/** Demonstrations that are kept; older ones are removed when a new one is made. */
const kept = 3;

/** A repository made from the published source of qs, with the plan that modernises it. */
export interface DemoRepository {
  /** Absolute path of the repository. */
  root: string;
  /** Absolute path of its plan. */
  planFile: string;
  /** Name and version of the package it was made from. */
  origin: string;
}

/**
 * Makes the repository of the demonstration in `home`.
 * @throws FILE_MISSING when the demonstration's package is not installed
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
  await mkdir(root, { recursive: true });
  await removeOld(options.home, { demos, current: path.basename(root) });
  for (const name of packageFiles)
    await cp(path.join(qs, name), path.join(root, name), { recursive: true, dereference: true });
  for (const name of ['tools', 'plan.yaml'])
    await cp(path.join(source, name), path.join(root, name), { recursive: true });
  await writeFile(path.join(root, '.gitignore'), 'node_modules\n');
  await linkModules(path.join(source, 'node_modules'), path.join(root, 'node_modules'));
  const { version } = createRequire(import.meta.url)(path.join(qs, 'package.json')) as { version: string };
  await commitAll(options.git, { root, message: `Import qs ${version} as published` });
  return { root, planFile: path.join(root, 'plan.yaml'), origin: `qs ${version}` };
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

/** Older demonstrations go with all that Baton keeps for them. */
async function removeOld(
  home: string,
  { demos, current }: { demos: string; current: string },
): Promise<void> {
  const names = await readdir(demos);
  const old = names.filter((name) => name.startsWith('qs-') && name !== current).sort();
  for (const name of old.slice(0, Math.max(0, old.length - (kept - 1)))) {
    const root = await realpath(path.join(demos, name));
    await rm(projectState({ home, repoRoot: root }).dir, { recursive: true, force: true });
    await rm(root, { recursive: true, force: true });
  }
}
