import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import { appArguments, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

import { createBench } from './support/bench.ts';
import { fakeProgram } from './support/fake-program.ts';

const run = promisify(execFile);
const plan = 'name: t\nstages: [{ name: a, steps: [{ title: One, agent: { command: [node, -v] } }] }]\n';

test('a folder that is no repository is refused', async () => {
  await using bench = await createBench();
  await using folder = await tempDir();
  const ended = await bench.call(['run', path.join(bench.repo.path, 'plan.yaml'), '--repo', folder.path]);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error REPO_NOT_FOUND');
  expect(ended.stderr).toContain('git init');
});

test('a folder that does not exist is refused', async () => {
  await using bench = await createBench();
  const ended = await bench.call(['run', 'plan.yaml', '--repo', 'nowhere']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toMatch(/error (REPO_NOT_FOUND|FILE_MISSING)/);
});

test('a bare repository is refused', async () => {
  await using bench = await createBench();
  await using folder = await tempDir();
  const bare = path.join(folder.path, 'bare.git');
  await bench.repo.git('clone', '--quiet', '--bare', bench.repo.path, bare);
  const ended = await bench.call(['run', 'plan.yaml', '--repo', bare]);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error REPO_BARE');
});

test.skipIf(process.getuid?.() !== 0)(
  'a repository of another owner is refused with the command that trusts it, and is worked in once git trusts it (needs root to give it away)',
  async () => {
    await using bench = await createBench({ 'a.txt': 'a\n' });
    await using away = await tempDir();
    const root = path.join(away.path, "their repo's");
    await bench.repo.git('clone', '--quiet', bench.repo.path, root);
    await run('chown', ['-R', '12345:12345', root]);
    const file = path.join(bench.home, 'plan.yaml');
    const agent = { command: ['sh', '-c', 'echo b > b.txt'] };
    await writeFile(
      file,
      JSON.stringify({ name: 'theirs', stages: [{ name: 'a', steps: [{ title: 'B', agent }] }] }),
    );
    const refused = await bench.baton(['run', file, '--repo', root]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('belongs to another user'),
    ]);
    const [, trusting = ''] = /`(git config [^`]+)`/.exec(refused.stderr.replaceAll(/\n\s+/g, ' ')) ?? [];
    await run('sh', ['-c', trusting], { env: { PATH: process.env['PATH'] ?? '', HOME: bench.home } });
    const done = await bench.baton(['run', file, '--repo', root, '--json']);
    expect(done.exitCode, done.stderr).toBe(0);
    const { target } = JSON.parse(done.stdout) as { target: string };
    const trusted = ['-c', `safe.directory=${root}`, '-C', root];
    expect((await run('git', [...trusted, 'show', `${target}:b.txt`])).stdout).toBe('b\n');
    expect((await bench.baton(['diff', '--repo', root, '--json'])).exitCode).toBe(0);
  },
);

test.each([
  ['is none', 'REPO_NOT_FOUND', false],
  ['has no commit', 'REPO_EMPTY', true],
])(
  'an empty folder that %s is refused with a line that makes it a repository to run in',
  async (_what, code, isMade) => {
    await using bench = await createBench();
    const empty = path.join(bench.home, 'empty');
    await mkdir(empty);
    if (isMade) await bench.repo.git('init', '--quiet', empty);
    const ended = await bench.call(['run', 'plan.yaml', '--repo', empty]);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain(`error ${code}`);
    const [, line = ''] = /`(git [^`]+)`/.exec(ended.stderr.replaceAll(/\n\s+/g, ' ')) ?? [];
    const by = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    };
    await run('sh', ['-c', line], {
      cwd: empty,
      env: { PATH: process.env['PATH'] ?? '', HOME: bench.home, ...by },
    });
    const after = await bench.call(['init', '--repo', empty]);
    expect(after.exitCode, after.stderr).toBe(0);
  },
);

test('uncommitted changes stop a run only onto the branch they are on', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': plan, 'readme.txt': 'changed\n' });
  const refused = await bench.call(['run', 'plan.yaml', '--target', 'main', '--dry-run']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(
    'error REPO_DIRTY: main is checked out with uncommitted changes in readme.txt',
  );
  const warned = await bench.call(['run', 'plan.yaml', '--dry-run']);
  expect(warned.exitCode).toBe(0);
  expect(warned.stderr).toContain('warning 1 file with uncommitted changes');
});

test('a detached HEAD is a fine place to start an integration branch from', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': plan });
  await bench.repo.git('checkout', '--quiet', '--detach');
  const ended = await bench.call(['run', 'plan.yaml', '--dry-run', '--json']);
  expect(ended.exitCode).toBe(0);
  const view = JSON.parse(ended.stdout) as { target: string; baseCommit: string };
  expect(view.target).toBe('baton/t-*');
  expect(view.baseCommit).toBe(await bench.repo.git('rev-parse', 'HEAD'));
});

test('a target that cannot be a branch is refused', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': plan });
  const ended = await bench.call(['run', 'plan.yaml', '--target', 'no..way']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error REF_INVALID');
});

test('a target branch that does not exist is refused, for it may be misspelt', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': plan });
  // A branch that was made with its full name is none of the short name.
  await bench.repo.git('branch', 'refs/heads/mian');
  const ended = await bench.call(['run', 'plan.yaml', '--target', 'mian']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error REF_INVALID: The target branch "mian" does not exist.');
  expect(ended.stderr).toContain('git branch mian');
  const [, meant = ''] = /Did you mean --target (\S+)\?/.exec(ended.stderr) ?? [];
  expect(meant).toBe('main');
  expect(await bench.call(['run', 'plan.yaml', '--target', meant, '--dry-run'])).toMatchObject({
    exitCode: 0,
  });
});

test.each([
  ['HEAD', '"HEAD" cannot be the name of a branch', 'Use letters'],
  ['release', 'does not exist', 'Make it first (`git branch release origin/release`)'],
  [
    'origin/release',
    'does not exist',
    'That is a branch of a remote. Name a local one, such as --target release',
  ],
  ['nothing-like-it', 'does not exist', 'fix: Make it first (`git branch nothing-like-it`)'],
  ['o;b', 'does not exist', "Make it first (`git branch 'o;b'`)"],
])('the target %s is refused with a way out that works', async (target, what, fix) => {
  await using bench = await createBench();
  await bench.repo.git('update-ref', 'refs/remotes/origin/release', 'HEAD');
  await bench.repo.write({ 'plan.yaml': plan });
  const ended = await bench.call(['run', 'plan.yaml', '--target', target]);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain(what);
  expect(ended.stderr).toContain(fix);
  const [, line] = /`(git branch [^`]+)`/.exec(ended.stderr) ?? [];
  if (line === undefined) return;
  await promisify(execFile)('sh', ['-c', line], { cwd: bench.repo.path });
  const again = await bench.call(['run', 'plan.yaml', '--target', target, '--dry-run']);
  expect(again.exitCode, again.stderr).toBe(0);
});

test('a branch named baton, which no integration branch can stand beside, is named', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': plan });
  await bench.repo.git('branch', 'baton');
  const ended = await bench.call(['run', 'plan.yaml']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('there is a branch named baton');
  expect(ended.stderr).toContain('git branch -m baton baton-old');
});

test.each([
  ['baton', undefined, ['baton-old']],
  ['release', 'release/1;x', []],
  ['release/1', 'release', ['release-1-old']],
  ['release/a/b', 'release', []],
])(
  'with a branch %s, a target %s is refused with a command that makes room for it',
  async (other, target, taken) => {
    await using bench = await createBench();
    await bench.repo.write({ 'plan.yaml': plan });
    for (const name of [other, ...taken]) await bench.repo.git('branch', name);
    const args = ['run', 'plan.yaml', '--dry-run', ...(target === undefined ? [] : ['--target', target])];
    const ended = await bench.call(args);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain(`there is a branch named ${other}`);
    const [, line = ''] = /`(git branch -m [^`]+)`/.exec(ended.stderr) ?? [];
    await promisify(execFile)('sh', ['-c', line], { cwd: bench.repo.path });
    const next = await bench.call(args);
    const [, make] = /`(git branch [^`]+)`/.exec(next.stderr) ?? [];
    if (make !== undefined) await promisify(execFile)('sh', ['-c', make], { cwd: bench.repo.path });
    const again = await bench.call(args);
    expect(again.exitCode, again.stderr).toBe(0);
  },
);

test('a git that is too old is refused with its version', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': plan });
  await using bin = await fakeProgram('git', 'echo "git version 2.30.2"');
  const ended = await bench.call(['run', 'plan.yaml'], {
    env: { PATH: `${bin.path}:${process.env['PATH'] ?? ''}` },
  });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error GIT_TOO_OLD: git 2.30.2 is too old');
});

test('a machine without git is told to install it', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': plan });
  await using bin = await tempDir();
  const ended = await bench.call(['run', 'plan.yaml'], { env: { PATH: bin.path } });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error GIT_MISSING');
  expect(ended.stderr).toContain('Install git 2.38 or newer');
});

test('a partial clone is refused with the command that completes it, by doctor too', async () => {
  await using bench = await createBench();
  await bench.repo.write({ 'plan.yaml': plan });
  await bench.repo.git('config', 'uploadpack.allowFilter', 'true');
  const partial = path.join(bench.home, 'partial');
  const url = `file://${bench.repo.path}`;
  await bench.repo.git('clone', '--quiet', '--filter=blob:none', '--no-checkout', url, partial);
  const file = path.join(bench.repo.path, 'plan.yaml');
  const ended = await bench.call(['run', file, '--repo', partial, '--dry-run']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('error REPO_INCOMPLETE');
  const command = `git -C ${partial} fetch --refetch --no-filter origin`;
  expect(ended.stderr).toContain(command);
  const doctor = await bench.call(['doctor', '--repo', partial]);
  expect(doctor.stdout).toMatch(/^fail repository +REPO_INCOMPLETE/m);
  expect(doctor.stdout).toContain(command);
});

test('a run, before it starts, and doctor list files that a filter is named for', async () => {
  await using bench = await createBench({ '.gitattributes': '*.key filter=crypt\n', 'n.key': 'cipher\n' });
  await bench.repo.write({ '.git/info/attributes': '*.psd filter=lfs\n', 'plan.yaml': plan });
  await bench.repo.commit({ 'b.psd': 'pointer\n' }, 'more');
  const told = '2 files with a filter (crypt, lfs): b.psd, n.key.';
  const ended = await bench.call(['run', 'plan.yaml', '--dry-run']);
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).toContain(`warning ${told}`);
  expect((await bench.call(['doctor'])).stdout).toMatch(/^warn repository +2 files with a filter/m);
});

test('inside the git folder the way out is the working tree', async () => {
  await using bench = await createBench();
  const ended = await bench.call(['status'], { cwd: path.join(bench.repo.path, '.git') });
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('is inside the git folder');
  expect(ended.stderr).toContain(`\`cd ${bench.repo.path}\``);
});

test('a current folder that was deleted is an error with a way out, one object with --json', async () => {
  await using bench = await createBench();
  const gone = path.join(bench.home, 'gone');
  await mkdir(gone);
  const line = 'cd "$0" && rmdir "$0" && exec "$@" status --json';
  const ended = await run('sh', ['-c', line, gone, process.execPath, ...appArguments('cli')]).catch(
    (error: { code: number; stdout: string }) => error,
  );
  expect(ended).toMatchObject({ code: 2 });
  expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'FILE_MISSING' } });
});

test('a Node that is too old is refused with the version that is needed, one object with --json', async () => {
  const older = "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.11.1'}})";
  const args = ['--import', `data:text/javascript,${older}`, ...appArguments('cli'), 'status', '--json'];
  const ended = await run(process.execPath, args).catch((error: { code: number; stdout: string }) => error);
  expect(ended).toMatchObject({ code: 2 });
  expect(JSON.parse(ended.stdout)).toMatchObject({
    error: { code: 'NODE_TOO_OLD', message: expect.stringContaining('22.18') },
  });
});

test('submodules are found by init, with the line that fills them in worktrees', async () => {
  await using bench = await createBench({
    'readme.txt': 'hello\n',
    '.gitmodules': '[submodule "lib"]\n\tpath = vendor/lib\n\turl = ../lib.git\n',
  });
  const line = 'workspace: { setup: [git, submodule, update, "--init", "--recursive"] }';
  const told = await bench.call(['init', '--dry-run', '--json']);
  const { warnings } = JSON.parse(told.stdout) as { warnings: string[] };
  expect(warnings).toEqual([expect.stringMatching(/^vendor\/lib is a submodule, .* empty in worktrees\./)]);
  expect(warnings[0]).toContain(line);
});
