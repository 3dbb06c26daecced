import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import type { BatonError } from '@baton/contracts';
import { createRepo, diffSnapshots, tempDir, type TestRepo } from '@baton/testkit';
import { expect, test } from 'vitest';
import { inspectRepository } from '../src/index.ts';
import { findRepository } from '../src/git/index.ts';
import { git } from './support/real.ts';

test('a repository is described from any folder in it, and only read', async () => {
  await using repo = await createRepo({ 'src/a.txt': 'one\n', 'b.txt': 'b\n' });
  await repo.write({ 'src/a.txt': 'two\n', 'untracked.txt': 'x' });
  const before = await repo.snapshot();
  const facts = await inspectRepository({ git, path: path.join(repo.path, 'src') });
  expect(facts).toEqual({
    root: repo.path,
    gitDir: path.join(repo.path, '.git'),
    branch: 'main',
    headCommit: await repo.git('rev-parse', 'HEAD'),
    dirtyFiles: ['src/a.txt'],
  });
  expect(diffSnapshots(before, await repo.snapshot())).toEqual([]);
});

test('a branch is named as such although a tag has the same name', async () => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  await repo.git('tag', 'main');
  expect(await inspectRepository({ git, path: repo.path })).toMatchObject({ branch: 'main' });
});

test('a detached head has no branch, and a linked worktree the same git folder', async () => {
  await using repo = await createRepo({ 'a.txt': 'one\n' });
  await using other = await tempDir();
  await repo.git('worktree', 'add', '--quiet', '--detach', path.join(other.path, 'linked'));
  const facts = await inspectRepository({ git, path: path.join(other.path, 'linked') });
  expect(facts).toMatchObject({ branch: null, gitDir: path.join(repo.path, '.git'), dirtyFiles: [] });
});

test('what is no repository, a bare one, and one without commits get different errors, each with a way out', async () => {
  await using folder = await tempDir();
  const inspect = (where: string) => inspectRepository({ git, path: where });
  await expect(inspect(folder.path)).rejects.toMatchObject({
    code: 'REPO_NOT_FOUND',
    fix: expect.stringContaining('git init'),
  });
  await expect(inspect(path.join(folder.path, 'missing'))).rejects.toMatchObject({ code: 'REPO_NOT_FOUND' });
  for (const [name, args, code] of [
    ['bare', ['--bare'], 'REPO_BARE'],
    ['empty', [], 'REPO_EMPTY'],
  ] as const) {
    mkdirSync(path.join(folder.path, name));
    await git(['init', '--quiet', ...args], { cwd: path.join(folder.path, name) });
    await expect(inspect(path.join(folder.path, name))).rejects.toMatchObject({ code });
  }
});

test('a new branch without commits is named as such beside others, and each way out leads to a commit', async () => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  await repo.git('branch', "it's");
  await repo.git('checkout', '--quiet', '--orphan', 'fresh');
  const refused = async () =>
    inspectRepository({ git, path: repo.path }).then(
      () => null,
      (error: BatonError) => error,
    );
  const said = await refused();
  expect(said).toMatchObject({ code: 'REPO_EMPTY' });
  expect(said?.message).toMatch(
    /The branch fresh, .* has no commit yet; others have: (main, it's|it's, main)\./,
  );
  const [, other = '', begin = ''] = /\(`([^`]+)`\).*`([^`]+)`/.exec(said?.fix ?? '') ?? [];
  execFileSync('sh', ['-c', other], { cwd: repo.path, stdio: 'pipe' });
  expect(await refused()).toBeNull();
  await repo.git('checkout', '--quiet', '--orphan', 'fresh');
  execFileSync('sh', ['-c', begin], { cwd: repo.path, stdio: 'pipe' });
  expect((await inspectRepository({ git, path: repo.path })).branch).toBe('fresh');
});

const newer = 'made with a newer git';
const spoils: readonly [
  what: string,
  spoil: (git: TestRepo['git'], root: string) => Promise<unknown>,
  way: string,
][] = [
  [
    'has an extension that this git does not know',
    async (run) => {
      await run('config', 'extensions.fooBar', 'true');
      await run('config', 'core.repositoryFormatVersion', '1');
    },
    newer,
  ],
  ['has a newer format', (run) => run('config', 'core.repositoryFormatVersion', '7'), newer],
  [
    'has settings that cannot be read',
    (_, root) => appendFile(path.join(root, '.git/config'), '[core\n'),
    'must work there',
  ],
];

test.each(spoils)(
  'a repository that %s is refused with a way out that makes no other in its place',
  async (_, spoil, way) => {
    await using repo = await createRepo({ 'a.txt': 'a\n' });
    const config = readFileSync(path.join(repo.path, '.git/config'));
    await spoil(repo.git, repo.path);
    const refused: unknown = await inspectRepository({ git, path: repo.path }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: 'REPO_NOT_FOUND', fix: expect.stringContaining(way) as string });
    const { fix = '', message } = refused as BatonError;
    expect(fix).not.toContain('git init');
    expect(message).toMatch(/foobar|version <= 1|config/);
    writeFileSync(path.join(repo.path, '.git/config'), config);
    const [, line = ''] = /`(git -C [^`]+)`/.exec(fix) ?? ['', 'true'];
    execFileSync('sh', ['-c', line], { stdio: 'ignore' });
    expect(await inspectRepository({ git, path: repo.path })).toMatchObject({ root: repo.path });
  },
);

test('a linked worktree that its repository no longer knows is not offered a new repository', async () => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  await using other = await tempDir();
  const linked = path.join(other.path, 'linked');
  await repo.git('worktree', 'add', '--quiet', '--detach', linked);
  rmSync(path.join(repo.path, '.git/worktrees'), { recursive: true });
  await expect(inspectRepository({ git, path: linked })).rejects.toMatchObject({
    ...{ code: 'REPO_NOT_FOUND', fix: expect.stringContaining(`git -C ${linked} status`) as string },
  });
});

test('a repository whose working tree lies elsewhere and does not lead back to it is refused with the line that makes it', async () => {
  await using repo = await createRepo({ 'a.txt': 'one\n' });
  await using elsewhere = await tempDir();
  const tree = realpathSync(elsewhere.path);
  await repo.git('config', 'core.worktree', tree);
  await git(['checkout', '--quiet', '--force', 'main'], { cwd: repo.path });
  const gitDir = path.join(realpathSync(repo.path), '.git');
  await expect(inspectRepository({ git, path: repo.path })).rejects.toMatchObject({
    code: 'REPO_NOT_FOUND',
    fix: `Let it lead there: \`echo 'gitdir: ${gitDir}' > ${tree}/.git\``,
  });
  writeFileSync(path.join(tree, '.git'), `gitdir: ${gitDir}\n`);
  expect(await inspectRepository({ git, path: repo.path })).toMatchObject({
    root: tree,
    branch: 'main',
    dirtyFiles: [],
  });
});

test('a repository whose working tree is not there is refused with the line that gives it the usual one', async () => {
  await using repo = await createRepo({ 'a.txt': 'one\n' });
  await using elsewhere = await tempDir();
  const gone = path.join(realpathSync(elsewhere.path), 'gone');
  await repo.git('config', 'core.worktree', gone);
  const refused = await inspectRepository({ git, path: repo.path }).catch(
    (error: unknown) => error as BatonError,
  );
  expect(refused).toMatchObject({
    code: 'REPO_NOT_FOUND',
    message: expect.stringContaining(`${gone}, `) as string,
  });
  const [, line = 'false'] = /`(git [^`]+)`/.exec((refused as BatonError).fix ?? '') ?? [];
  execFileSync('sh', ['-c', line]);
  expect((await inspectRepository({ git, path: repo.path })).root).toBe(realpathSync(repo.path));
});

test('the quick look finds what the whole look finds, and leaves to it whatever is odd', async () => {
  await using repo = await createRepo({ 'src/a.txt': 'one\n' });
  await using folder = await tempDir();
  const linked = path.join(folder.path, 'linked');
  const broken = path.join(folder.path, 'two\nlines');
  await repo.git('worktree', 'add', '--quiet', '--detach', linked);
  await repo.git('worktree', 'add', '--quiet', '--detach', broken);
  for (const where of [repo.path, path.join(repo.path, 'src'), linked]) {
    const { root, gitDir } = await inspectRepository({ git, path: where });
    expect(await findRepository({ git, path: where })).toEqual({ root, gitDir });
  }
  await git(['init', '--quiet', '--bare', path.join(folder.path, 'bare')], { cwd: folder.path });
  await git(['init', '--quiet', path.join(folder.path, 'empty')], { cwd: folder.path });
  const odd = ['', 'missing', 'bare', 'empty'].map((name) => path.join(folder.path, name));
  for (const where of [...odd, path.join(repo.path, '.git'), broken])
    expect(await findRepository({ git, path: where })).toBeNull();
});

test('git prints the same whatever the settings of the repository say of its output', async () => {
  await using repo = await createRepo({ 'a.txt': 'one\n\ntwo\n' });
  await repo.write({ 'a.txt': 'one\n\n2\n', 'new.txt': '' });
  const printed = async () =>
    Promise.all(
      [['diff', '--no-ext-diff'], ['status'], ['log', '-1', '--format=%s']].map(
        async (args) => (await git(args, { cwd: repo.path })).stdout,
      ),
    );
  const plain = await printed();
  for (const [name, value] of [
    ...[['diff.noprefix', 'true'] as const, ['diff.context', '0'] as const, ['color.ui', 'always'] as const],
    ...[['status.short', 'true'] as const, ['status.showUntrackedFiles', 'no'] as const],
  ])
    await repo.git('config', name, value);
  expect(await printed()).toEqual(plain);
});

test.each([
  [
    'whose commit was emptied',
    (repo: string, head: string) => writeFileSync(path.join(repo, objectFile(head)), ''),
  ],
  ['whose commit is gone', (repo: string, head: string) => rmSync(path.join(repo, objectFile(head)))],
  ['whose branch was emptied', (repo: string) => writeFileSync(path.join(repo, '.git/refs/heads/main'), '')],
  [
    'whose list of refs is broken',
    (repo: string) => writeFileSync(path.join(repo, '.git/packed-refs'), 'garbage\n'),
  ],
])('a repository %s is not taken for one without commits', async (_, breakIt) => {
  await using repo = await createRepo({ 'a.txt': 'one\n' });
  const head = await repo.git('rev-parse', 'HEAD');
  const file = path.join(repo.path, objectFile(head));
  chmodSync(file, 0o600);
  breakIt(repo.path, head);
  await expect(inspectRepository({ git, path: repo.path })).rejects.toMatchObject({
    code: 'REPO_INCOMPLETE',
    fix: expect.stringContaining('fsck') as string,
  });
});

test.each([
  [
    'an empty folder in place of its branch',
    (at: string) => mkdirSync(path.join(at, '.git/refs/heads/main')),
  ],
  [
    'a warning of git about a setting',
    (at: string) => writeFileSync(path.join(at, '.git/config'), '[core]\n\tfsync = bogus\n', { flag: 'a' }),
  ],
])('a repository without commits is called one, with %s', async (_, make) => {
  await using folder = await tempDir();
  await git(['init', '--quiet', '--initial-branch=main', folder.path], { cwd: folder.path });
  make(folder.path);
  await expect(inspectRepository({ git, path: folder.path })).rejects.toMatchObject({ code: 'REPO_EMPTY' });
});

function objectFile(name: string): string {
  return `.git/objects/${name.slice(0, 2)}/${name.slice(2)}`;
}
