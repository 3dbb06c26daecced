import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { asideObjects, presentTree, startTask } from '../src/index.ts';
import { clock, git } from './support/real.ts';
import { agentGit, workspaces } from './support/workspaces.ts';

const owner = { taskId: '0190cafe-0000-7000-8000-000000000001', fence: 3 };

/** A worktree in which an attempt is at work, and a look at it. */
async function atWork(files: Record<string, string> = { 'readme.txt': 'hello\n', '.gitignore': '*.log\n' }) {
  const bench = await workspaces(files);
  const workspace = await bench.pool.acquire({ head: bench.head, owner: null });
  await startTask(workspace, { head: bench.head, owner });
  const scratch = path.join(bench.state.path, 'scratch');
  const objects = path.join(scratch, 'objects');
  const look = () =>
    presentTree({
      clone: bench.clone,
      worktree: workspace.path,
      scratch,
      env: asideObjects(bench.clone, objects),
    });
  const listed = async (tree: string): Promise<string> => {
    const shown = await git(['ls-tree', '-r', '--name-only', tree], {
      cwd: bench.clone.path,
      env: asideObjects(bench.clone, objects),
    });
    return shown.stdout.trim();
  };
  return {
    bench,
    workspace,
    look,
    listed,
    scratch,
    write: (file: string, text: string) => writeFile(path.join(workspace.path, file), text),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

const countObjects = async (clone: { path: string }): Promise<string> =>
  (await git(['count-objects', '-v'], { cwd: clone.path })).stdout;

it('a worktree is looked at as it is, and neither clone nor index nor git folder of the agent is written to', async () => {
  await using place = await atWork();
  const { bench, workspace } = place;
  const before = await countObjects(bench.clone);
  const own = path.join(workspace.gitDir, 'index');
  const index = await readFile(own);
  const mtime = (await stat(own)).mtimeMs;
  await place.write('readme.txt', 'changed\n');
  await place.write('new.txt', 'new\n');
  await place.write('noise.log', 'ignored\n');
  const seen = await place.look();
  expect(seen).toMatchObject({ owner, startCommit: bench.head });
  expect(await place.listed(seen?.tree ?? '')).toBe('.gitignore\nnew.txt\nreadme.txt');
  expect(await countObjects(bench.clone)).toBe(before);
  expect([(await readFile(own)).equals(index), (await stat(own)).mtimeMs]).toEqual([true, mtime]);
});

it('what the agent has committed itself counts by what is in its tree', async () => {
  await using place = await atWork();
  await place.write('own.txt', 'mine\n');
  await agentGit(place.workspace.path, 'add', '--all');
  await agentGit(place.workspace.path, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'own');
  expect(await place.listed((await place.look())?.tree ?? '')).toContain('own.txt');
});

it('nothing is said of a tree that holds a pipe, is sparse or belongs to no attempt', async () => {
  await using place = await atWork();
  const pipe = path.join(place.workspace.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const started = clock.monotonicMs();
  expect(await place.look()).toBeNull();
  expect(clock.monotonicMs() - started).toBeLessThan(10_000);
  await rm(pipe);
  expect(await place.look()).not.toBeNull();
  await mkdir(path.join(place.workspace.gitDir, 'info'), { recursive: true });
  await writeFile(path.join(place.workspace.gitDir, 'info/sparse-checkout'), '/none\n');
  expect(await place.look()).toBeNull();
  await rm(path.join(place.workspace.gitDir, 'info/sparse-checkout'));
  await place.bench.pool.release(place.workspace);
  expect(await place.look()).toBeNull();
});

it('a nested repository is no part of the look', async () => {
  await using place = await atWork();
  const nested = path.join(place.workspace.path, 'nested');
  await mkdir(nested);
  await agentGit(nested, 'init', '-q');
  await writeFile(path.join(nested, 'inside.txt'), 'x\n');
  await place.write('beside.txt', 'x\n');
  const seen = await place.look();
  expect(await place.listed(seen?.tree ?? '')).toBe('.gitignore\nbeside.txt\nreadme.txt');
});

it('nothing is said of a folder that is gone, and the objects of a look go with its folder', async () => {
  await using place = await atWork();
  await place.write('new.txt', 'new\n');
  const seen = await place.look();
  await rm(place.scratch, { recursive: true });
  const read = await git(['cat-file', '-e', seen?.tree ?? ''], { cwd: place.bench.clone.path });
  expect([read.exitCode === 0, existsSync(place.scratch)]).toEqual([false, false]);
  await rm(place.workspace.path, { recursive: true });
  expect(await place.look()).toBeNull();
});
