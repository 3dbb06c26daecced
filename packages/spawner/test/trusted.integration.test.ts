import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createRepo, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createExec, createGit } from '../src/index.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** A repository that belongs to another account. */
async function foreignRepo() {
  const repo = await createRepo({ 'a.txt': 'a\n' });
  execFileSync('chown', ['-R', '12345:12345', repo.path]);
  return repo;
}

test.skipIf(process.getuid?.() !== 0)(
  'a linked worktree of another owner is read and cloned where it alone is trusted (needs root to give it away)',
  async () => {
    await using repo = await createRepo({ 'a.txt': 'a\n' });
    await using home = await tempDir();
    const linked = path.join(home.path, 'linked');
    await repo.git('worktree', 'add', '--quiet', linked);
    execFileSync('chown', ['-R', '12345:12345', repo.path, linked]);
    await writeFile(path.join(home.path, '.gitconfig'), `[safe]\n\tdirectory = ${linked}\n`);
    const git = gitOf(home.path);
    const cloned = await git(['clone', '--quiet', '--bare', linked, path.join(home.path, 'c.git')], {
      cwd: home.path,
    });
    expect(cloned.exitCode, cloned.stderr).toBe(0);
    expect((await git(['rev-parse', 'HEAD'], { cwd: repo.path })).exitCode).toBe(128);
  },
);

/** Git as Baton runs it for a person with these settings. */
function gitOf(home: string, more: Record<string, string> = {}) {
  return createGit({ exec: createExec({ clock }), env: { PATH: process.env['PATH'], HOME: home, ...more } });
}

test.skipIf(process.getuid?.() !== 0)(
  'a repository of another owner is read where the user trusts it, by each of several commands at once (needs root to give it away)',
  async () => {
    await using repo = await foreignRepo();
    await using home = await tempDir();
    const look = (git: ReturnType<typeof gitOf>) =>
      Promise.all([1, 2, 3].map(() => git(['rev-parse', 'HEAD'], { cwd: repo.path })));
    const exitCodes = async (git: ReturnType<typeof gitOf>) =>
      (await look(git)).map(({ exitCode }) => exitCode);
    expect(await exitCodes(gitOf(home.path))).toEqual([128, 128, 128]);
    const settings = path.join(home.path, '.gitconfig');
    await writeFile(settings, `[safe]\n\tdirectory = ${repo.path}\n[alias]\n\trev-parse = version\n`);
    const git = gitOf(home.path);
    expect(await exitCodes(git)).toEqual([0, 0, 0]);
    const cloned = await git(['clone', '--quiet', '--bare', repo.path, path.join(home.path, 'c.git')], {
      cwd: home.path,
    });
    expect(cloned.exitCode, cloned.stderr).toBe(0);
    // Nothing else of the user's settings is read.
    expect((await git(['config', '--get', 'alias.rev-parse'], { cwd: repo.path })).exitCode).toBe(1);
    await writeFile(settings, `[safe]\n\tdirectory = *\n\tdirectory =\n`);
    const refusing = gitOf(home.path);
    expect(await exitCodes(refusing)).toEqual([128, 128, 128]);
    // A process that was told no takes a later yes, and one for more than before.
    await using other = await foreignRepo();
    await writeFile(settings, `[safe]\n\tdirectory = ${other.path}\n`);
    expect(await exitCodes(refusing)).toEqual([128, 128, 128]);
    await writeFile(settings, `[safe]\n\tdirectory = ${other.path}\n\tdirectory = ${repo.path}\n`);
    expect(await exitCodes(refusing)).toEqual([0, 0, 0]);
    const both = [repo.path, other.path].map((cwd) => refusing(['rev-parse', 'HEAD'], { cwd }));
    expect((await Promise.all(both)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  },
);
