import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRepo, tempDir, listProcessesWithMarker, type TestRepo } from '@baton/testkit';
import { expect, test } from 'vitest';
import { insideOnly, runAgent, type RunAgentOptions } from '../src/index.ts';
import { node } from './support/real.ts';

/** One run with a temporary folder of its own, so that what it leaves there can be seen. */
async function once(repo: TestRepo, given: Partial<RunAgentOptions> & Pick<RunAgentOptions, 'agent'>) {
  await using temp = await tempDir();
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temp.path;
  try {
    const env = { PATH: process.env['PATH'], HOME: temp.path };
    const run = await runAgent({ repo: repo.path, prompt: 'Do it.\nNow.', env, ...given }).catch(
      (error: unknown) => ({ error }),
    );
    return { run, left: readdirSync(temp.path).filter((name) => name.startsWith('baton-')) };
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

const command = (program: string) => ({ command: node(program) });

test('one call runs an agent and leaves its work on a branch and in a ref, and nothing else', async () => {
  await using repo = await createRepo({ 'a.txt': 'a\n', '.gitignore': 'ignored\n' });
  await repo.write({ 'a.txt': 'changed by me\n' });
  const events: string[] = [];
  const { run, left } = await once(repo, {
    agent: command(`const fs = require('fs');
      fs.writeFileSync('b.txt', fs.readFileSync(0)); console.log('hello');`),
    branch: 'topic/b',
    onEvent: (event) => void events.push(event.type === 'message' ? event.text.trim() : event.type),
  });
  expect(run).toMatchObject({
    ...{
      outcome: 'done',
      ref: 'refs/heads/topic/b',
      changedPaths: ['b.txt'],
      salvageRef: null,
      setAside: null,
      usage: [],
    },
    startCommit: await repo.git('rev-parse', 'HEAD'),
    commit: await repo.git('rev-parse', 'topic/b'),
  });
  expect(events).toEqual(expect.arrayContaining(['ready', 'hello', 'finished']));
  expect(await repo.git('show', 'topic/b:b.txt')).toBe('Do it.\nNow.');
  expect(await repo.git('log', '-1', '--format=%s', 'topic/b')).toBe('Do it.');
  expect((await repo.git('status', '--porcelain')).trim()).toBe('M a.txt');
  expect(left).toEqual([]);
});

test('work of an agent that failed or was stopped is kept under a ref of its own', async () => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  const failed = await once(repo, {
    agent: command(`require('fs').writeFileSync('half.txt', 'h'); process.exit(3);`),
  });
  expect(failed).toMatchObject({ left: [], run: { outcome: 'failed', changedPaths: ['half.txt'] } });
  const { ref } = failed.run as { ref: string };
  expect(ref).toMatch(/^refs\/baton\/agents\/[0-9a-f-]+$/);
  expect(await repo.git('show', `${ref}:half.txt`)).toBe('h');

  const stop = new AbortController();
  const stopped = await once(repo, {
    agent: command(
      `require('fs').writeFileSync('half.txt', 'h'); console.log('begun'); setInterval(() => 0, 1000);`,
    ),
    signal: stop.signal,
    onEvent: (event) => {
      if (event.type === 'message' && event.text.includes('begun')) stop.abort();
    },
  });
  expect(stopped).toMatchObject({ left: [], run: { outcome: 'cancelled', changedPaths: ['half.txt'] } });
  expect(listProcessesWithMarker((stopped.run as { ref: string }).ref.split('/').at(-1) ?? '')).toEqual([]);

  const idle = await once(repo, { agent: command('') });
  expect(idle).toMatchObject({
    left: [],
    run: { outcome: 'done', commit: null, ref: null, salvageRef: null },
  });
});

test('what the commit does not hold has a ref of its own', async () => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  const { run, left } = await once(repo, {
    agent:
      command(`const fs = require('fs'); const git = (line) => require('child_process').execSync('git -c user.name=a -c user.email=a@b ' + line);
      fs.writeFileSync('a.txt', 'stashed'); git('stash'); fs.writeFileSync('b.txt', 'b');`),
  });
  const { ref, salvageRef } = run as { ref: string; salvageRef: string };
  expect(await repo.git('show', `${ref}:b.txt`)).toBe('b');
  expect(salvageRef).toBe(`${ref}-salvage`);
  // Blobs are named by what they hold.
  const stashed = createHash('sha1').update('blob 7\0stashed').digest('hex');
  expect(await repo.git('rev-list', '--objects', salvageRef)).toContain(stashed);
  expect(left).toEqual([]);
});

test('work is kept when a listener fails', async () => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  const { run, left } = await once(repo, {
    agent: command(`require('fs').writeFileSync('b.txt', 'b'); console.log('told');`),
    branch: 'kept',
    onEvent: (event) => {
      if (event.type === 'message') throw new Error('the disk of the log is full');
    },
  });
  expect(run).toMatchObject({ error: { message: 'the disk of the log is full' } });
  expect(await repo.git('show', 'kept:b.txt')).toBe('b');
  expect(left).toEqual([]);
});

const wrong: [string, Partial<RunAgentOptions> & Pick<RunAgentOptions, 'agent'>, string][] = [
  ['an agent that nobody knows', { agent: 'claud' }, 'AGENT_UNKNOWN'],
  ['a program that is not there', { agent: { command: ['no-such-program'] } }, 'AGENT_MISSING'],
  ['a branch that is there', { agent: command(''), branch: 'main' }, 'CONFLICT'],
  ['a name that is no branch', { agent: command(''), branch: 'a..b' }, 'REF_INVALID'],
  ['a start that is not there', { agent: command(''), from: 'nowhere' }, 'REF_INVALID'],
  ['a set-up that fails', { agent: command(''), setup: setUp('exit 1') }, 'SETUP_FAILED'],
  ['a folder that is no repository', { agent: command(''), repo: '/proc' }, 'REPO_NOT_FOUND'],
];

function setUp(line: string): NonNullable<RunAgentOptions['setup']> {
  return { setup: ['sh', '-c', line], setup_timeout: 10_000, symlink: [], copy: [] };
}

test.each(wrong)('%s is refused before anything runs, and nothing is left', async (_, given, code) => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  const { run, left } = await once(repo, given);
  expect(run).toMatchObject({ error: { code } });
  expect(left).toEqual([]);
  expect(await repo.git('for-each-ref', '--format=%(refname)', 'refs/baton')).toBe('');
});

test('without a person to ask, an agent may touch what really lies in its worktree', async () => {
  await using folder = await tempDir();
  const tree = path.join(realpathSync(folder.path), 'tree');
  mkdirSync(path.join(tree, '..hidden'), { recursive: true });
  symlinkSync('/etc', path.join(tree, 'out'));
  symlinkSync(tree, path.join(folder.path, 'link'));
  const ask = (at: string, ...paths: string[]) => insideOnly(at)({ title: 't', kind: 'edit', paths });
  expect(ask(tree, 'new/file', path.join(tree, 'a'), '..hidden/b', '.')).toBe('allow');
  expect(ask(path.join(folder.path, 'link'), path.join(tree, 'a'))).toBe('allow');
  for (const file of ['../a', '/etc/passwd', 'out/passwd', 'a/../../b', '..', `${tree}-beside/a`])
    expect([file, ask(tree, file)]).toEqual([file, 'deny']);
  expect(existsSync(path.join(tree, 'new'))).toBe(false);
});

test('a link to what is not there, a link in a circle, a home folder and a URL are judged by where they lead', async () => {
  await using folder = await tempDir();
  const tree = path.join(realpathSync(folder.path), 'tree');
  mkdirSync(tree);
  symlinkSync(path.join(folder.path, 'not-there-yet'), path.join(tree, 'dangling'));
  symlinkSync('circle', path.join(tree, 'circle'));
  const ask = (file: string) => insideOnly(tree)({ title: 't', kind: 'edit', paths: [file] });
  for (const file of ['~file', 'a:b', pathToFileURL(path.join(tree, 'new')).href])
    expect([file, ask(file)]).toEqual([file, 'allow']);
  for (const file of [
    ...['dangling', 'dangling/below', 'circle', 'circle/below'],
    ...[
      '~',
      '~/.ssh/authorized_keys',
      'file:///etc/passwd',
      'FILE:///etc/passwd',
      'file://host/share',
      'a\0b',
    ],
  ])
    expect([file, ask(file)]).toEqual([file, 'deny']);
});
