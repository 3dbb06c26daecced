import { access, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, test } from 'vitest';

import {
  createRepo,
  listProcessesWithMarker,
  processStartTime,
  tempDir,
  until,
  type FakeScript,
} from '../src/index.ts';
import { runAgent, startAgent } from './support.ts';

test('it writes, edits, deletes and commits as told', async () => {
  await using repo = await createRepo({ 'a.txt': 'one two', 'old.txt': 'x' });
  const script: FakeScript = {
    steps: [
      { write: { 'deep/new.txt': 'new' } },
      { append: { 'deep/new.txt': ' and more' } },
      { replace: { file: 'a.txt', find: 'two', with: 'three' } },
      { delete: 'old.txt' },
      { commit: 'the work' },
      { say: 'done\n' },
    ],
  };
  const end = await runAgent(script, { cwd: repo.path });
  expect(end).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  expect(await repo.git('log', '-1', '--format=%s by %an')).toBe('the work by Fake Agent');
  expect(await repo.git('ls-files')).toBe('a.txt\ndeep/new.txt');
  expect(await readFile(path.join(repo.path, 'deep/new.txt'), 'utf8')).toBe('new and more');
  expect(await readFile(path.join(repo.path, 'a.txt'), 'utf8')).toBe('one three');
});

test('it fails on the first attempt and succeeds on the second, by the task file', async () => {
  await using folder = await tempDir();
  const taskFile = path.join(folder.path, 'task.json');
  const script = { attempts: [[{ say: 'broken' }, { exit: 3 }], [{ write: { done: 'yes' } }]] };
  const attempt = async (number: number) => {
    await writeFile(taskFile, JSON.stringify({ id: 't', key: 'k', attempt: number }));
    return runAgent(script, { cwd: folder.path, env: { BATON_TASK_FILE: taskFile } });
  };
  expect(await attempt(1)).toMatchObject({ exitCode: 3, stdout: 'broken' });
  expect(await attempt(2)).toMatchObject({ exitCode: 0, stdout: '' });
  expect(await readFile(path.join(folder.path, 'done'), 'utf8')).toBe('yes');
});

test('tasks are distinguished by the task file, else by a key that the prompt mentions', async () => {
  await using folder = await tempDir();
  const script = { steps: [{ say: 'other' }], tasks: { 'fix-login': { steps: [{ say: 'login' }] } } };
  expect((await runAgent(script, { cwd: folder.path, prompt: 'Please do fix-login.' })).stdout).toBe('login');
  expect((await runAgent(script, { cwd: folder.path, prompt: 'Something else.' })).stdout).toBe('other');
});

test('it records what it was given', async () => {
  await using folder = await tempDir();
  const options = { cwd: folder.path, prompt: 'the prompt', env: { SEEN: 'yes' } };
  await runAgent({ steps: [{ record: 'got.jsonl' }] }, { ...options, launch: { scriptIn: 'env' } });
  const got = JSON.parse(await readFile(path.join(folder.path, 'got.jsonl'), 'utf8')) as Record<
    string,
    unknown
  >;
  expect(got).toMatchObject({ prompt: 'the prompt', cwd: folder.path, env: { SEEN: 'yes' } });
});

test('it crashes by signal, and ignores the signals that its script names', async () => {
  await using folder = await tempDir();
  const crashed = await runAgent({ steps: [{ crash: 'SIGSEGV' }] }, { cwd: folder.path });
  expect(crashed).toMatchObject({ exitCode: null, signal: 'SIGSEGV' });

  const script: FakeScript = {
    ignoreSignals: ['SIGTERM'],
    steps: [{ write: { ready: '' } }, { hang: true }],
  };
  const child = startAgent(script, { cwd: folder.path });
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  await until(() => access(path.join(folder.path, 'ready')).then(() => true), { what: 'the agent hangs' });
  child.kill('SIGTERM');
  child.kill('SIGINT');
  expect(await ended).toBe('SIGINT');
});

test('its grandchild runs on in a session of its own, and is found by the marker it inherited', async () => {
  await using folder = await tempDir();
  const marker = `BATON_MARKER=${path.basename(folder.path)}`;
  const script = { steps: [{ grandchild: { pidFile: 'pid', ignoreSigterm: true } }] };
  const end = await runAgent(script, { cwd: folder.path, env: { BATON_MARKER: path.basename(folder.path) } });
  expect(end.exitCode).toBe(0);
  const pid = Number(await readFile(path.join(folder.path, 'pid'), 'utf8'));
  expect(listProcessesWithMarker(marker).map((each) => each.pid)).toEqual([pid]);
  process.kill(pid, 'SIGKILL');
  await until(() => processStartTime(pid) === undefined, { what: 'the grandchild is gone' });
  expect(listProcessesWithMarker(marker)).toEqual([]);
});

test('it floods, and splits characters over writes', async () => {
  await using folder = await tempDir();
  const flood = await runAgent({ steps: [{ flood: { bytes: 3_000_000 } }] }, { cwd: folder.path });
  expect(flood.stdout).toHaveLength(3_000_000);
  // The pipe may join writes before they are read: they are counted where they are made.
  const writes = path.join(folder.path, 'writes');
  const options = { cwd: folder.path, env: recordingWrites(writes) };
  const split = await runAgent({ steps: [{ splitUtf8: 'grüße 🎉' }] }, options);
  expect(split.stdout).toBe('grüße 🎉');
  expect(await readFile(writes, 'utf8')).toBe('1\n'.repeat(Buffer.byteLength('grüße 🎉')));
});

/** Has a Node process append the size of each write to its stdout, in bytes, to a file. */
function recordingWrites(file: string): { NODE_OPTIONS: string } {
  const code = `import { appendFileSync } from 'node:fs';
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk, ...rest) => {
  appendFileSync(${JSON.stringify(file)}, Buffer.byteLength(chunk) + '\\n');
  return write(chunk, ...rest);
};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

test('it plants a program in git’s configuration and writes outside of its worktree', async () => {
  await using folder = await tempDir();
  await using repo = await createRepo({ 'a.txt': 'a' });
  const outside = path.join(folder.path, 'outside.txt');
  const marker = path.join(folder.path, 'ran');
  await runAgent(
    { steps: [{ write: { [outside]: 'out' } }, { plantFsmonitor: marker }] },
    { cwd: repo.path },
  );
  expect(await readFile(outside, 'utf8')).toBe('out');
  await repo.git('status');
  expect(await readFile(marker, 'utf8')).toBe('');
});

test('a mistake in the script is reported, with exit code 64', async () => {
  await using folder = await tempDir();
  const wrong = { steps: [{ wirte: {} }] } as unknown as FakeScript;
  const end = await runAgent(wrong, { cwd: folder.path });
  expect(end.exitCode).toBe(64);
  expect(end.stderr).toContain('wirte');
});
