import path from 'node:path';
import { inParts, createRepo, tempDir, type TestRepo } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createRig } from '../helpers/rig.ts';

const agent = {
  command: [
    'sh',
    '-c',
    'cat >/dev/null; git log -1 --format=%s >seen.txt; echo x >> a.txt; git add -A; git commit -qm w',
  ],
};
const plan = (more: object = {}) => ({
  name: 'any',
  stages: [{ name: 's', steps: [{ key: 'one', title: 'One', agent, max_retries: 0 }] }],
  ...more,
});

/** Makes a repository of a kind out of a plain one; where it lies in the end. */
type Make = (repo: TestRepo, folder: string) => Promise<string>;

const kinds: Record<string, Make> = {
  'one with SHA-256 names': async (repo, folder) => {
    const where = path.join(folder, 'sha256');
    await repo.git('-C', folder, 'init', '-q', '--initial-branch=main', '--object-format=sha256', where);
    await repo.git(
      '-C',
      where,
      '-c',
      'user.name=T',
      '-c',
      'user.email=t@e',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'x',
    );
    return where;
  },
  'a shallow clone': async (repo, folder) => {
    const where = path.join(folder, 'shallow');
    await repo.commit({ 'b.txt': 'b\n' }, 'second');
    await repo.git('-C', folder, 'clone', '-q', '--depth=1', `file://${repo.path}`, where);
    return where;
  },
  'a linked worktree': async (repo, folder) => {
    const where = path.join(folder, 'linked');
    await repo.git('worktree', 'add', '-q', '-b', 'side', where);
    return where;
  },
  'a clone that borrows its objects': async (repo, folder) => {
    const where = path.join(folder, 'borrower');
    await repo.git('-C', folder, 'clone', '-q', '--shared', repo.path, where);
    return where;
  },
  'one with settings of its own': async (repo) => {
    const settings = [
      'core.autocrlf=true',
      'core.symlinks=false',
      'core.precomposeUnicode=true',
      'core.hooksPath=/bin',
    ];
    const more = [
      'commit.gpgSign=true',
      'transfer.fsckObjects=true',
      'url.https://nowhere/.insteadOf=/',
      'core.fileMode=false',
    ];
    for (const setting of [...settings, ...more]) await repo.git('config', ...setting.split('='));
    return repo.path;
  },
  'one whose git folder lies apart': async (repo, folder) => {
    await repo.git('init', '-q', `--separate-git-dir=${path.join(folder, 'apart.git')}`);
    return repo.path;
  },
};

for (const [cases, tagged] of inParts(1, Object.entries(kinds)))
  test.each(cases)('work lands in %s', tagged, async (_, make) => {
    await using rig = await createRig();
    await using repo = await createRepo({ 'a.txt': 'one\n' });
    await using folder = await tempDir();
    const location = await make(repo, folder.path);
    const { run } = await rig.submit(plan(), { baseCommit: null, location });
    await rig.worker();
    await rig.settled(run.id);
    expect(await repo.git('-C', location, 'show', `${run.target}:a.txt`)).toContain('x');
  });

test('a gate that prints NUL on the base stops nothing', { tags: ['long'] }, async () => {
  await using rig = await createRig();
  const gates = [{ name: 'odd', command: ['printf', String.raw`a\000b\355\240\274\n`] }];
  const { run } = await rig.submit(plan({ gates }));
  await rig.worker();
  expect((await rig.settled(run.id)).status).toBe('done');
});

test('work that writes a file with a filter is refused, and the reason names the file', async () => {
  await using rig = await createRig({ 'a.txt': 'cipher\n', '.gitattributes': 'a.txt filter=crypt\n' });
  const { run, tasks } = await rig.submit(plan());
  await rig.worker();
  await rig.settled(run.id, ['failed']);
  const [attempt] = await rig.store.tasks.attempts(tasks[0]?.id ?? '');
  expect(attempt?.rejections.join()).toContain('the filter crypt for a.txt');
});
