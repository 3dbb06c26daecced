import path from 'node:path';
import { createRepo, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { clone as cloneOf } from './support/places.ts';
import { git } from './support/real.ts';
import { agentGit } from './support/workspaces.ts';

const settings = [
  ['transfer.hideRefs', 'refs'],
  ['uploadpack.hideRefs', 'refs/heads/main'],
  ['uploadpack.hideRefs', '^refs/heads'],
  ['uploadpack.allowRefInWant', 'true'],
] as const;

for (const kind of ['whole', 'shallow'] as const)
  test.each(settings)(
    `a ${kind} repository with %s=%s is cloned, and its branches and commits are fetched`,
    async (key, value) => {
      await using origin = await createRepo({ 'a.txt': '0\n' });
      await origin.commit({ 'a.txt': '1\n' }, '1');
      await using folder = await tempDir();
      const where = path.join(folder.path, 'repo');
      const depth = kind === 'shallow' ? ['--depth=1'] : [];
      await agentGit(folder.path, 'clone', '--quiet', ...depth, `file://${origin.path}`, where);
      await agentGit(where, 'config', key, value);
      const clone = await cloneOf(where, path.join(folder.path, 'state'));
      const first = await agentGit(where, 'rev-parse', 'HEAD');
      expect(await clone.fetchTarget('main')).toBe(first);
      await agentGit(
        where,
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b',
        'commit',
        '--quiet',
        '--allow-empty',
        '-m',
        'x',
      );
      const second = await agentGit(where, 'rev-parse', 'HEAD');
      expect(await clone.fetchTarget('main')).toBe(second);
      await agentGit(
        where,
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b',
        'commit',
        '--quiet',
        '--allow-empty',
        '-m',
        'y',
      );
      const third = await agentGit(where, 'rev-parse', 'HEAD');
      expect(await clone.fetchTarget(third)).toBe(third);
      expect((await git(['cat-file', '-t', third], { cwd: clone.path })).stdout).toBe('commit\n');
    },
  );
