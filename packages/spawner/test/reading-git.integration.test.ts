import { readFileSync } from 'node:fs';
import { createRepo } from '@baton/testkit';
import type { Git } from '@baton/contracts';
import { expect, test } from 'vitest';
import { createReadingGit } from '../src/index.ts';
import { processesOfSupervisor, supervisorId } from '../src/process/process-table.ts';
import { git as plain } from './support/real.ts';

/** A repository, a reading git, and the commands that really became a process. */
async function reading() {
  const stack = new AsyncDisposableStack();
  const repo = stack.use(await createRepo({ 'a.txt': 'one\n', 'dir/b.txt': 'two\n' }));
  const processes: string[] = [];
  const counted: Git = (args, options) => {
    processes.push(args.join(' '));
    return plain(args, options);
  };
  const made = createReadingGit({ git: counted, env: process.env });
  stack.defer(() => made.close());
  const at = { cwd: repo.path };
  const head = (await plain(['rev-parse', 'HEAD'], at)).stdout.trim();
  return { repo, at, head, processes, ...made, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('look-ups answer what git itself answers, without a process each', async () => {
  await using here = await reading();
  const verify = ['rev-parse', '--verify', '--quiet', '--end-of-options'];
  const asked = [
    [...verify, 'HEAD'],
    [...verify, 'refs/heads/main'],
    [...verify, `${here.head}^{tree}`],
    ['rev-parse', `${here.head}^{tree}`, 'HEAD^{tree}', `${here.head}^{commit}`],
    ['cat-file', '-e', `${here.head}:dir/b.txt`],
  ];
  for (const args of asked) {
    const [mine, theirs] = [await here.git(args, here.at), await plain(args, here.at)];
    expect([mine.exitCode, mine.stdout], args.join(' ')).toEqual([theirs.exitCode, theirs.stdout]);
  }
  const batch = { ...here.at, stdin: `${here.head}:dir\n${here.head}:a.txt\n` };
  for (const args of [
    ['cat-file', '--batch-check'],
    ['cat-file', '--batch-check', '--follow-symlinks'],
  ])
    expect((await here.git(args, batch)).stdout).toBe((await plain(args, batch)).stdout);
  expect(here.processes).toEqual([]);
});

test('what is not there is asked of git itself, and other commands always are', async () => {
  await using here = await reading();
  const gone = ['rev-parse', '--verify', '--quiet', '--end-of-options', 'refs/heads/none'];
  expect((await here.git(gone, here.at)).exitCode).toBe(1);
  expect((await here.git(['cat-file', '-e', `${here.head}:none`], here.at)).exitCode).toBe(128);
  const dangling = { ...here.at, stdin: `${here.head}:../../out\n` };
  const follow = ['cat-file', '--batch-check', '--follow-symlinks'];
  expect((await here.git(follow, dangling)).stdout).toBe((await plain(follow, dangling)).stdout);
  expect((await here.git(['rev-parse', '--show-toplevel'], here.at)).exitCode).toBe(0);
  expect(here.processes).toHaveLength(4);
});

test('a ref that someone moves, packs or deletes is seen at once', async () => {
  await using here = await reading();
  const ask = async () =>
    (await here.git(['rev-parse', '--verify', '--quiet', 'refs/heads/other'], here.at)).stdout.trim();
  await plain(['update-ref', 'refs/heads/other', here.head], here.at);
  expect(await ask()).toBe(here.head);
  const next = (await plain(['commit-tree', 'HEAD^{tree}', '-m', 'next'], here.at)).stdout.trim();
  await plain(['update-ref', 'refs/heads/other', next], here.at);
  expect(await ask()).toBe(next);
  await plain(['gc', '--quiet', '--prune=now'], here.at);
  expect(await ask()).toBe(next);
  await plain(['update-ref', '-d', 'refs/heads/other'], here.at);
  expect(await ask()).toBe('');
});

test('a reader that is killed costs nothing but a process', async () => {
  await using here = await reading();
  const ask = async () => (await here.git(['rev-parse', '--verify', 'HEAD'], here.at)).stdout.trim();
  expect(await ask()).toBe(here.head);
  const living = readers();
  expect(living).toHaveLength(1);
  for (const pid of living) process.kill(pid, 'SIGKILL');
  expect([await ask(), await ask()]).toEqual([here.head, here.head]);
  here.close();
  await expect.poll(() => readers()).toEqual([]);
});

/** Living `cat-file` processes of ours, whoever started them for us. */
function readers(): number[] {
  return processesOfSupervisor(supervisorId())
    .map(({ pid }) => pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cat-file');
      } catch {
        return false;
      }
    });
}
