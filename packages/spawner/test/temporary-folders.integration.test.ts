import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { createRepo, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createExec, createGit, inspectRepository } from '../src/index.ts';
import { makeTemporaryFolder } from '../src/process/temporary-folder.ts';

const clock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** A repository, and a git whose user has these settings and this folder for temporary files. */
async function place(settings: (root: string) => string, temporary: (home: string) => string) {
  const stack = new AsyncDisposableStack();
  const home = stack.use(await tempDir());
  const repo = stack.use(await createRepo({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' }));
  await writeFile(path.join(home.path, '.gitconfig'), settings(repo.path));
  const folder = temporary(home.path);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home.path, TMPDIR: folder };
  const git = createGit({ exec: createExec({ clock }), env });
  return { repo, git, env, folder, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('a repository of another owner stays trusted after temporary files were cleaned up', async () => {
  const trusting = (root: string) => `[safe]\n\tdirectory = ${root}\n`;
  await using here = await place(trusting, (home) => home);
  const ofAnother = { cwd: here.repo.path, env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' } };
  const made = async () => (await readdir(here.folder)).filter((name) => name.startsWith('baton-git-'));
  for (let cleaned = 0; cleaned < 2; cleaned += 1) {
    expect(await here.git(['rev-parse', 'HEAD'], ofAnother)).toMatchObject({ exitCode: 0 });
    const [folder = 'none'] = await made();
    await rm(path.join(here.folder, folder), { recursive: true });
    expect(await made()).toEqual([]);
  }
});

test('with an empty TMPDIR, a checkout in another folder is converted as its user does', async () => {
  await using here = await place(
    () => '[core]\n\tautocrlf = true\n',
    () => '',
  );
  const file = path.join(here.repo.path, 'sub/b.txt');
  await rm(file);
  execFileSync('git', ['-C', here.repo.path, 'checkout', '--', 'sub/b.txt'], { env: here.env });
  expect(await readFile(file, 'utf8')).toBe('b\r\n');
  const later = new Date(Date.now() + 10_000);
  await utimes(file, later, later);
  const seen = await inspectRepository({ git: here.git, path: path.join(here.repo.path, 'sub') });
  expect(seen.dirtyFiles).toEqual([]);
  expect(await readdir(here.repo.path)).toEqual(['.git', 'a.txt', 'sub']);
});

test('a TMPDIR that is missing is named with its way out, and works once it is made', async () => {
  await using here = await place(
    () => '[core]\n\tautocrlf = true\n',
    (home) => path.join(home, 'missing'),
  );
  await writeFile(path.join(here.repo.path, 'a.txt'), 'edited\n');
  const look = () => inspectRepository({ git: here.git, path: here.repo.path });
  await expect(look()).rejects.toMatchObject({
    ...{ code: 'STATE_UNWRITABLE', at: here.folder },
    fix: expect.stringContaining('TMPDIR') as string,
  });
  await mkdir(here.folder);
  expect(await look()).toMatchObject({ dirtyFiles: ['a.txt'] });
});

test('a folder for temporary files has an absolute path whatever TMPDIR says', async () => {
  await using parent = await tempDir();
  for (const named of [parent.path, path.relative(process.cwd(), parent.path), '', undefined]) {
    const made = makeTemporaryFolder({ TMPDIR: named }, 'baton-');
    expect(path.isAbsolute(made), made).toBe(true);
    await rm(made, { recursive: true });
  }
  expect(await readdir(parent.path)).toEqual([]);
});
