import { execFileSync } from 'node:child_process';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import { createBench, type Bench } from './support/bench.ts';
import { planOf, writes } from './support/plans.ts';

/** What people set for all their repositories, or for one: none of it may change what lands. */
const settings: readonly (readonly [name: string, value: string])[] = [
  ['advice.detachedHead', 'false'],
  ['advice.statusHints', 'false'],
  ['alias.merge-tree', '!false'],
  ['alias.switch', '!false'],
  ['clean.requireForce', 'true'],
  ['commit.gpgSign', 'true'],
  ['core.autocrlf', 'true'],
  ['core.fsmonitor', 'true'],
  ['core.untrackedCache', 'true'],
  ['diff.external', '/bin/false'],
  ['diff.noprefix', 'true'],
  ['feature.manyFiles', 'true'],
  ['fetch.prune', 'true'],
  ['gpg.program', '/bin/false'],
  ['index.version', '4'],
  ['init.defaultObjectFormat', 'sha256'],
  ['merge.conflictStyle', 'zdiff3'],
  ['merge.verifySignatures', 'true'],
  ['push.default', 'nothing'],
  ['receive.denyCurrentBranch', 'refuse'],
  ['status.showUntrackedFiles', 'no'],
  ['tag.gpgSign', 'true'],
  ['transfer.fsckObjects', 'true'],
  ['user.signingKey', '0000000000000000'],
];

/** What a shell may have exported, e.g. one that was started from a hook of git. */
const variables: Readonly<Record<string, string>> = {
  GIT_DIR: '/nonexistent/.git',
  GIT_WORK_TREE: '/nonexistent',
  GIT_INDEX_FILE: '/nonexistent/index',
  GIT_OBJECT_DIRECTORY: '/nonexistent/objects',
  GIT_EDITOR: '/bin/false',
  GIT_EXTERNAL_DIFF: '/bin/false',
  GIT_PAGER: '/bin/false',
  GIT_NAMESPACE: 'other',
  GIT_TRACE: '1',
  LANG: 'de_DE.UTF-8',
  LANGUAGE: 'de',
  LC_ALL: 'de_DE.UTF-8',
};

const plan = planOf(
  't',
  [
    { key: 'a', agent: writes('a.txt', 'a\n') },
    { key: 'b', agent: writes('folder/b.txt', 'b\n') },
  ],
  { gates: [{ name: 'both', command: ['sh', '-c', 'test -e start.txt && git diff --quiet HEAD'] }] },
);
const files = { 'plan.yaml': plan, 'start.txt': 'one\ntwo\n' };

/** What came of a run and of taking its work into the checkout: nothing of it names a moment or an id. */
async function outcomeOf(bench: Bench, env: Record<string, string>): Promise<unknown> {
  const ended = await bench.baton(['run', 'plan.yaml', '--json'], { env });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { target } = JSON.parse(ended.stdout) as { target: string };
  const { repo } = bench;
  const facts = async (ref: string) => ({
    tree: await repo.git('rev-parse', `${ref}^{tree}`),
    log: (await repo.git('log', '--format=%s|%an|%ae|%G?', ref)).split('\n').toSorted(),
  });
  // As the person sees it, whose settings convert files.
  const seen = () =>
    execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], {
      cwd: repo.path,
      env: { PATH: process.env['PATH'] ?? '', HOME: bench.home },
      encoding: 'utf8',
    });
  const untouched = await facts('main');
  const landed = await facts(target);
  const left = seen();
  const merged = await bench.baton(['merge', '--json'], { env });
  expect(merged.exitCode, merged.stderr).toBe(0);
  const { kind } = JSON.parse(merged.stdout) as { kind: string };
  return { untouched, landed, left, kind, taken: await facts('main'), after: seen() };
}

async function hooksThatFail(folder: string): Promise<void> {
  await mkdir(folder);
  for (const name of [
    'pre-commit',
    'pre-merge-commit',
    'commit-msg',
    'post-checkout',
    'reference-transaction',
  ]) {
    await writeFile(path.join(folder, name), '#!/bin/sh\nexit 1\n');
    await chmod(path.join(folder, name), 0o755);
  }
}

test(
  'settings of the user, of the repository and of the environment change nothing of what lands',
  { tags: ['long'], timeout: 120_000 },
  async () => {
    await using plain = await createBench(files);
    const expected = await outcomeOf(plain, {});
    expect(expected).toMatchObject({ left: '', kind: 'fast_forward', after: '' });

    await using home = await createBench(files);
    await hooksThatFail(path.join(home.home, 'hooks'));
    const lines = [
      ...settings,
      ['safe.bareRepository', 'explicit'],
      ['core.hooksPath', path.join(home.home, 'hooks')],
    ];
    const text = lines.map(([name = '', value]) => {
      const [section, key] = name.split('.');
      return `[${section}]\n\t${key} = "${value}"\n`;
    });
    await writeFile(path.join(home.home, '.gitconfig'), text.join(''));
    expect(await outcomeOf(home, variables), 'of the user').toEqual(expected);

    await using own = await createBench(files);
    await hooksThatFail(path.join(own.home, 'hooks'));
    await own.repo.git('config', 'core.splitIndex', 'true');
    await own.repo.git('update-index', '--split-index');
    await own.repo.git('config', 'extensions.worktreeConfig', 'true');
    for (const [name, value] of settings)
      if (name !== 'core.autocrlf') await own.repo.git('config', name, value);
    await own.repo.git('config', 'branch.main.mergeOptions', '--squash --no-commit');
    await own.repo.git('config', '--worktree', 'core.hooksPath', path.join(own.home, 'hooks'));
    expect(await outcomeOf(own, {}), 'of the repository').toEqual(expected);
  },
);

test(
  'under a umask that takes the rights of the owner a run works, and what it made stays usable',
  { tags: ['long'] },
  async () => {
    await using bench = await createBench(files);
    const nodeArguments = ['--import', 'data:text/javascript,process.umask(0o777)'];
    for (const args of [['run', 'plan.yaml'], ['merge'], ['runs']]) {
      const ended = await bench.baton(args, { nodeArguments });
      expect(ended.exitCode, ended.stderr).toBe(0);
    }
    const { mode } = await stat(path.join(bench.repo.path, 'folder', 'b.txt'));
    expect(mode & 0o777).toBe(0o600);
    expect((await stat(path.join(bench.home, 'projects'))).mode & 0o777).toBe(0o700);
  },
);
