import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { workspaceSetup } from '@baton/contracts';
import { expect, test } from 'vitest';
import { createWorkspacePool, listSalvage, restoreSalvage } from '../src/index.ts';
import { atWork, commit, owner } from './support/at-work.ts';
import { agentGit, workspaces } from './support/workspaces.ts';

type AtWork = Awaited<ReturnType<typeof atWork>>;

/** How a worktree comes back to its pool. */
const ends: Readonly<Record<string, (w: AtWork) => Promise<unknown>>> = {
  'given back': (w) => w.pool.release(w.workspace),
  'found after a crash': (w) => {
    rmSync(path.join(path.dirname(w.workspace.path), 'lock'), { recursive: true });
    return createWorkspacePool(w.poolOptions).recover();
  },
};

test.each(Object.keys(ends))(
  'a worktree that its agent gave another name is set aside and listed with what was committed in it (%s)',
  async (end) => {
    await using w = await atWork();
    const { workspace } = w;
    const slot = path.dirname(workspace.path);
    writeFileSync(path.join(workspace.path, 'src/a.txt'), 'mine\n');
    await agentGit(workspace.path, 'commit', '-qam', 'mine');
    const head = await agentGit(workspace.path, 'rev-parse', 'HEAD');
    renameSync(workspace.path, path.join(slot, 'tree-moved'));
    await expect(commit(workspace, w.head)).rejects.toMatchObject({
      ...{ code: 'WORKSPACE_FAILED', fix: expect.stringContaining('`baton rescue`') as string },
    });
    await ends[end]?.(w);
    const [aside, ...others] = await listSalvage(w.clone, owner.taskId);
    expect(others).toEqual([]);
    expect(aside).toMatchObject({
      kind: 'set-aside',
      ...owner,
      title: expect.stringContaining('tree-moved') as string,
    });
    expect(await agentGit(path.join(aside?.path ?? '', 'tree-moved'), 'rev-parse', 'HEAD')).toBe(head);
    const into = path.join(w.state.path, 'restored');
    await restoreSalvage(w.clone, aside?.ref ?? '', { into });
    expect(readFileSync(path.join(into, 'tree-moved/src/a.txt'), 'utf8')).toBe('mine\n');
    expect(existsSync(path.join(slot, 'tree-moved'))).toBe(false);
  },
);

test('a worktree that was moved and left as a link is set aside, the link and what it leads to', async () => {
  await using w = await atWork();
  const moved = path.join(path.dirname(w.workspace.path), 'project');
  writeFileSync(path.join(w.workspace.path, 'new.txt'), 'mine\n');
  renameSync(w.workspace.path, moved);
  symlinkSync(moved, w.workspace.path);
  await w.pool.release(w.workspace);
  const aside = await listSalvage(w.clone, owner.taskId);
  expect(aside.map(({ kind }) => kind)).toEqual(['set-aside', 'set-aside']);
  const found = aside
    .map((one) => path.join(one.path ?? '', 'project/new.txt'))
    .filter((file) => existsSync(file));
  expect(found.map((file) => readFileSync(file, 'utf8'))).toEqual(['mine\n']);
});

test('what an agent makes beside its worktree is kept under its name, whatever bytes that has, and the next one finds none of it', async () => {
  await using w = await atWork();
  const slot = path.dirname(w.workspace.path);
  const odd = Buffer.concat([Buffer.from(`${slot}/caf`), Buffer.from([0xe9])]);
  mkdirSync(path.join(slot, 'lib'));
  writeFileSync(path.join(slot, 'lib/l.txt'), 'lib\n');
  if (process.platform === 'linux') writeFileSync(odd, 'odd\n');
  writeFileSync(path.join(w.workspace.path, 'src/a.txt'), 'done\n');
  const { headCommit } = await commit(w.workspace, w.head);
  await w.clone.keepAttempt({ ...owner, commit: headCommit });
  await w.pool.release(w.workspace);
  const [aside] = (await listSalvage(w.clone, owner.taskId)).filter(({ kind }) => kind === 'set-aside');
  expect(readFileSync(path.join(aside?.path ?? '', 'lib/l.txt'), 'utf8')).toBe('lib\n');
  const next = await w.pool.acquire({ head: w.head, owner: { taskId: 'next', fence: 1 } });
  expect(next.path).toBe(w.workspace.path);
  expect([existsSync(path.join(slot, 'lib')), existsSync(odd)]).toEqual([false, false]);
  await w.pool.release(next);
  expect(await listSalvage(w.clone, 'next')).toEqual([]);
});

test('what set-up puts beside a worktree is no work of an agent', async () => {
  const setup = workspaceSetup.parse({ setup: ['sh', '-c', 'echo cache > ../cache'] });
  await using w = await workspaces({ 'a.txt': 'one\n' }, setup);
  const workspace = await w.pool.acquire({ head: w.head, owner });
  const cache = path.join(path.dirname(workspace.path), 'cache');
  expect(readFileSync(cache, 'utf8')).toBe('cache\n');
  await w.pool.release(workspace);
  expect(await listSalvage(w.clone, owner.taskId)).toEqual([]);
  expect(existsSync(cache)).toBe(true);
});
