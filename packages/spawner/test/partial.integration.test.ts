import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createRepo, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { missingObjects, requireCompleteCommit } from '../src/index.ts';
import { clone as cloneOf } from './support/places.ts';
import { git } from './support/real.ts';
import { agentGit } from './support/workspaces.ts';

test.each(['blob:none', 'tree:0'])(
  'a partial clone (%s) is refused with the command that completes it, and works in the same state folder afterwards',
  async (filter) => {
    await using origin = await createRepo({ 'a.txt': 'a\n', 'deep/er/b.txt': 'b\n' });
    await origin.git('config', 'uploadpack.allowFilter', 'true');
    await origin.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    await using folder = await tempDir();
    const where = path.join(folder.path, 'par tial');
    const url = `file://${origin.path}`;
    await agentGit(folder.path, 'clone', '--quiet', '--no-checkout', `--filter=${filter}`, url, where);
    const commit = await agentGit(where, 'rev-parse', 'HEAD');
    expect(await missingObjects({ git, repo: where, commit })).toBeGreaterThan(0);
    const clone = await cloneOf(where, path.join(folder.path, 'state'));
    expect(await clone.fetchTarget('main')).toBe(commit);
    const refused = await clone.requireComplete(commit).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'REPO_INCOMPLETE',
      message: expect.stringContaining('partial clone'),
    });
    const command = /`(.+?)`/.exec((refused as { fix: string }).fix)?.[1] ?? 'false';
    execFileSync('sh', ['-c', command], { stdio: 'ignore' });
    await requireCompleteCommit({ git, repo: where, commit });
    await clone.requireComplete(commit);
    expect(await missingObjects({ git, repo: clone.path, commit })).toBe(0);
  },
);

test('a repository that lost an object is refused with the command that shows what is broken', async () => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  const commit = await repo.git('rev-parse', 'HEAD');
  await requireCompleteCommit({ git, repo: repo.path, commit });
  const blob = await repo.git('rev-parse', 'HEAD:a.txt');
  rmSync(path.join(repo.path, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  await expect(requireCompleteCommit({ git, repo: repo.path, commit })).rejects.toMatchObject({
    code: 'REPO_INCOMPLETE',
    fix: expect.stringContaining('fsck'),
  });
});

test.each([
  ['an emptied file', 'HEAD:a.txt', ''],
  ['a file that is no object', 'HEAD:a.txt', 'garbage'],
  ['a folder that is no object', 'HEAD:deep', 'garbage'],
])('a repository with %s in place of an object is refused, too', async (_, name, content) => {
  await using repo = await createRepo({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n' });
  const commit = await repo.git('rev-parse', 'HEAD');
  await requireCompleteCommit({ git, repo: repo.path, commit });
  const object = await repo.git('rev-parse', name);
  const file = path.join(repo.path, '.git/objects', object.slice(0, 2), object.slice(2));
  rmSync(file);
  writeFileSync(file, content);
  await expect(requireCompleteCommit({ git, repo: repo.path, commit })).rejects.toMatchObject({
    code: 'REPO_INCOMPLETE',
    fix: expect.stringContaining('fsck') as string,
  });
});

test('a repository with a ref that git cannot read is refused with its name', async () => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  await using folder = await tempDir();
  writeFileSync(path.join(repo.path, '.git/refs/heads/lost'), '');
  const refused: unknown = await cloneOf(repo.path, path.join(folder.path, 'state')).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({
    code: 'REPO_INCOMPLETE',
    message: expect.stringContaining('refs/heads/lost') as string,
    fix: expect.stringContaining('rm ') as string,
  });
  const command = /`(.+?)`/.exec((refused as { fix: string }).fix)?.[1] ?? 'false';
  execFileSync('sh', ['-c', command], { stdio: 'ignore' });
  await cloneOf(repo.path, path.join(folder.path, 'state'));
});
