import { chmod, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createRepo, diffSnapshots } from '../src/index.ts';

test('a repository has one commit with the files, an identity and a clean tree', async () => {
  await using repo = await createRepo(
    { 'src/a.ts': 'a', 'run.sh': { exec: '#!/bin/sh\n' } },
    { branch: 'trunk' },
  );
  expect(await repo.git('log', '--format=%s by %an on %D')).toBe(
    'first commit by Test Person on HEAD -> trunk',
  );
  expect(await repo.git('ls-files', '--format=%(objectmode) %(path)')).toBe('100755 run.sh\n100644 src/a.ts');
  expect(await repo.git('status', '--porcelain')).toBe('');
});

test('a commit writes and deletes files and returns its id', async () => {
  await using repo = await createRepo({ 'a.txt': 'a', 'b.txt': 'b' });
  const id = await repo.commit({ 'a.txt': 'changed', 'b.txt': null }, 'second');
  expect(await repo.git('rev-parse', 'main')).toBe(id);
  expect(await repo.git('show', '--name-status', '--format=%s', id)).toBe('second\n\nM\ta.txt\nD\tb.txt');
});

test('git’s own words are in the error of a command that fails', async () => {
  await using repo = await createRepo();
  await expect(repo.git('checkout', 'nowhere')).rejects.toThrow(/git checkout nowhere failed: .*nowhere/);
});

test('the repository is deleted at the end', async () => {
  const repo = await createRepo();
  await repo[Symbol.asyncDispose]();
  await expect(stat(repo.path)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('snapshots of an untouched repository are the same, also after commands that only look', async () => {
  await using repo = await createRepo({ 'a.txt': 'a' });
  const before = await repo.snapshot();
  await repo.git('status');
  await repo.git('log');
  expect(diffSnapshots(before, await repo.snapshot())).toEqual([]);
});

test('a snapshot notices every kind of change', async () => {
  await using repo = await createRepo({ 'a.txt': 'a', 'b.txt': 'b', '.gitignore': 'ignored' });
  const before = await repo.snapshot();
  await repo.write({ 'a.txt': 'changed', ignored: 'new', 'b.txt': null });
  await chmod(path.join(repo.path, '.gitignore'), 0o755);
  await repo.git('add', 'a.txt');
  await repo.git('config', 'core.fsmonitor', 'evil');
  await repo.git('branch', 'other');
  await repo.git('branch', 'baton/run-1');
  await repo.git('symbolic-ref', 'HEAD', 'refs/heads/other');
  await writeFile(path.join(repo.path, '.git/hooks/pre-commit'), 'evil');
  const differences = diffSnapshots(before, await repo.snapshot(), { except: [/^ref refs\/heads\/baton\//] });
  expect(differences.map(({ what }) => what)).toEqual([
    ...['HEAD', 'config', 'file .gitignore', 'file a.txt', 'file b.txt', 'file ignored'],
    ...['hook pre-commit', 'index a.txt', 'ref refs/heads/other'],
  ]);
});
