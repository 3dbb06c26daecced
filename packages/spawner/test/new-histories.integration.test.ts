import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commitTask, startTask } from '../src/index.ts';
import { git } from './support/real.ts';
import { agentGit, workspaces } from './support/workspaces.ts';

/** A repository with a file that is tracked although a pattern excludes it, and a submodule that is not filled. */
async function place() {
  const w = await workspaces({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'out/kept.txt': 'kept\n' });
  await w.repo.write({
    '.gitignore': 'out/\n*.log\n',
    '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n',
  });
  await w.repo.git('add', '--all');
  await w.repo.git('update-index', '--add', '--cacheinfo', `160000,${w.headCommit},lib`);
  await w.repo.git('commit', '--quiet', '-m', 'ignored, and a submodule');
  const head = await w.clone.fetchTarget('main');
  const workspace = await w.pool.acquire({ head, owner: null });
  const { startCommit } = await startTask(workspace, { head });
  const own = (...args: string[]) => agentGit(workspace.path, ...args);
  const end = async () => {
    const { changedPaths } = await commitTask(workspace, { git, startCommit, message: 'work', trailers: {} });
    return [...changedPaths].sort();
  };
  const write = (name: string) => writeFileSync(path.join(workspace.path, name), `${name}\n`);
  return { ...w, workspace, own, end, write, [Symbol.asyncDispose]: () => w[Symbol.asyncDispose]() };
}

type Place = Awaited<ReturnType<typeof place>>;

const anew: Record<string, (p: Place) => Promise<unknown>> = {
  'made the repository again': async ({ workspace, own }) => {
    rmSync(path.join(workspace.path, '.git'), { recursive: true });
    await own('init', '--quiet');
    await own('add', '--all');
  },
  'began a branch without history': async ({ own }) => {
    await own('checkout', '--quiet', '--orphan', 'fresh');
    await own('rm', '-r', '--quiet', '--cached', '.');
    await own('add', '--all');
  },
};

test.each(Object.keys(anew))(
  'of an agent that %s, files that are tracked although ignored stay, and so do submodules',
  async (how) => {
    await using p = await place();
    p.write('new.txt');
    rmSync(path.join(p.workspace.path, 'b.txt'));
    await anew[how]?.(p);
    p.write('forced.log');
    await p.own('add', '--force', 'forced.log');
    await p.own('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'all');
    p.write('left.txt');
    expect(await p.end()).toEqual(['b.txt', 'forced.log', 'left.txt', 'new.txt']);
  },
);

test('what an agent takes out of the index in the history that it has is no longer tracked', async () => {
  await using p = await place();
  await p.own('rm', '--quiet', '--cached', 'out/kept.txt');
  await p.own('commit', '--quiet', '--amend', '-m', 'untracked');
  expect(await p.end()).toEqual(['out/kept.txt']);
});

test('files of a new history that it deleted itself are gone, also those that were ignored', async () => {
  await using p = await place();
  rmSync(path.join(p.workspace.path, 'out'), { recursive: true });
  rmSync(path.join(p.workspace.path, 'lib'), { recursive: true });
  await anew['made the repository again']?.(p);
  await p.own('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'all');
  expect(await p.end()).toEqual(['lib', 'out/kept.txt']);
});
