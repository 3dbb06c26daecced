import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  renameSync,
  mkdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { createRepo, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { openClone } from '../src/index.ts';
import { processStart } from '../src/process/process-table.ts';
import { fileLock, tryFileLock } from '../src/process/file-lock.ts';
import { clone as cloneOf, otherFileSystem } from './support/places.ts';
import { agentGit, show } from './support/workspaces.ts';
import { git } from './support/real.ts';

test.skipIf(otherFileSystem === null)(
  'a state folder on another file system than the repository takes copies instead of hard links',
  async () => {
    await using repo = await createRepo({ 'a.txt': 'one\n' });
    const stateDir = mkdtempSync(path.join(otherFileSystem ?? '', 'baton-test-'));
    try {
      expect(statSync(stateDir).dev).not.toBe(statSync(repo.path).dev);
      const clone = await openClone({ git, stateDir, repoId: 'r1', location: repo.path });
      expect(await clone.fetchTarget('main')).toBe(await repo.git('rev-parse', 'HEAD'));
    } finally {
      rmSync(stateDir, { recursive: true, force: true });
    }
  },
);

test('a repository whose objects folder is a link elsewhere is cloned', async () => {
  await using repo = await createRepo({ 'a.txt': 'one\n' });
  await using elsewhere = await tempDir();
  await using state = await tempDir();
  const objects = path.join(repo.path, '.git/objects');
  renameSync(objects, path.join(elsewhere.path, 'objects'));
  symlinkSync(path.join(elsewhere.path, 'objects'), objects);
  const clone = await cloneOf(repo.path, state.path);
  expect(await show(clone, await clone.fetchTarget('main'), 'a.txt')).toBe('one\n');
});

test('objects that the repository borrows are copied, so that what they were borrowed from may go', async () => {
  await using lender = await createRepo({ 'a.txt': 'one\n' });
  await using folder = await tempDir();
  const borrower = path.join(folder.path, 'borrower');
  await lender.git('clone', '--quiet', '--shared', lender.path, borrower);
  const clone = await cloneOf(borrower, path.join(folder.path, 'state'));
  const head = await clone.fetchTarget('main');
  rmSync(path.join(lender.path, '.git/objects'), { recursive: true });
  expect(await show(clone, head, 'a.txt')).toBe('one\n');
});

test('a repository that was moved away is named with the way out, and works again when it is back', async () => {
  await using repo = await createRepo({ 'a.txt': 'one\n' });
  await using state = await tempDir();
  const clone = await cloneOf(repo.path, state.path);
  renameSync(repo.path, `${repo.path}.moved`);
  try {
    await expect(clone.fetchTarget('main')).rejects.toMatchObject({
      code: 'REPO_NOT_FOUND',
      message: expect.stringContaining(repo.path),
    });
  } finally {
    renameSync(`${repo.path}.moved`, repo.path);
  }
  expect(await clone.fetchTarget('main')).toBe(await repo.git('rev-parse', 'HEAD'));
});

test('another history at the same path is fetched; another object format is refused with the command that sets the clone aside', async () => {
  await using folder = await tempDir();
  const where = path.join(folder.path, 'repo');
  const stateDir = path.join(folder.path, 'state');
  const make = async (format: string): Promise<void> => {
    rmSync(where, { recursive: true, force: true });
    mkdirSync(where);
    await agentGit(where, 'init', '--quiet', '--initial-branch=main', `--object-format=${format}`);
    await agentGit(
      where,
      '-c',
      'user.name=T',
      '-c',
      'user.email=t@e',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      format,
    );
  };
  await make('sha1');
  const first = await cloneOf(where, stateDir);
  const kept = await first.keepAttempt({ taskId: 't1', fence: 1, commit: await first.fetchTarget('main') });
  await make('sha1');
  expect(await first.fetchTarget('main')).toBe(await agentGit(where, 'rev-parse', 'HEAD'));
  await make('sha256');
  const refused = await cloneOf(where, stateDir).then(
    () => null,
    (error: unknown) => error as { code: string; fix: string },
  );
  expect(refused?.code).toBe('REPO_CHANGED');
  const command = /`(.+)`/.exec(refused?.fix ?? '')?.[1] ?? 'false';
  execFileSync('sh', ['-c', command]);
  const again = await cloneOf(where, stateDir);
  expect(again.objectFormat).toBe('sha256');
  expect(await again.fetchTarget('main')).toBe(await agentGit(where, 'rev-parse', 'HEAD'));
  const aside = path.join(stateDir, 'repos', 'r1-sha1', 'clone.git');
  expect(await agentGit(aside, 'rev-parse', kept)).toMatch(/^[0-9a-f]{40}$/);
});

test('a lock is held by one at a time, free after its release, and needs no hard links', async () => {
  await using folder = await tempDir();
  const places = [
    folder.path,
    ...(otherFileSystem === null ? [] : [mkdtempSync(path.join(otherFileSystem, 'baton-test-'))]),
  ];
  for (const place of places) {
    const at = path.join(place, 'lock');
    const first = tryFileLock(at);
    expect(first).not.toBeNull();
    expect(tryFileLock(at)).toBeNull();
    first?.release();
    const next = await fileLock(at, () => Promise.reject(new Error('waited')));
    expect(tryFileLock(at)).toBeNull();
    next.release();
    expect(existsSync(at)).toBe(true);
    if (place !== folder.path) rmSync(place, { recursive: true, force: true });
  }
});

test('a lock that an older version holds is respected while it lives, and taken over when it is dead', async () => {
  await using folder = await tempDir();
  const write = (holder: string) => writeFileSync(path.join(folder.path, '3'), holder);
  write(`${process.pid}\n${processStart(process.pid) ?? ''}\n`);
  expect(tryFileLock(folder.path)).toBeNull();
  write('1\nanother boot\n');
  expect(tryFileLock(folder.path)).not.toBeNull();
});
