import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { owner, ref } from './support/at-work.ts';
import { env } from './support/real.ts';
import { show, workspaces } from './support/workspaces.ts';

const slotOf = (worktree: string): string => path.basename(path.dirname(worktree));

test('a worktree that was prepared is handed out next, at whatever commit is asked for then', async () => {
  await using w = await workspaces({ 'a.txt': 'a\n' });
  await w.pool.prepare({ head: w.head });
  expect(readFileSync(path.join(w.poolOptions.dir, 'agent/w1/tree/a.txt'), 'utf8')).toBe('a\n');
  await w.repo.commit({ 'b.txt': 'b\n' }, 'later');
  const workspace = await w.pool.acquire({ head: await w.clone.fetchTarget('main'), owner });
  expect(slotOf(workspace.path)).toBe('w1');
  expect(existsSync(path.join(workspace.path, 'b.txt'))).toBe(true);
});

test('worktrees that are prepared at once are different ones, and none of one that is out', async () => {
  await using w = await workspaces({ 'a.txt': 'a\n' });
  const out = await w.pool.acquire({ head: w.head, owner });
  writeFileSync(path.join(out.path, 'a.txt'), 'work\n');
  await Promise.all([w.pool.prepare({ head: w.head }), w.pool.prepare({ head: w.head })]);
  expect(readFileSync(path.join(out.path, 'a.txt'), 'utf8')).toBe('work\n');
  for (const slot of ['w2', 'w3'])
    expect(existsSync(path.join(w.poolOptions.dir, 'agent', slot, 'tree/a.txt'))).toBe(true);
});

test('what a crash left in a worktree is saved before it is prepared, and a commit that is not there does no harm', async () => {
  await using w = await workspaces({ 'a.txt': 'a\n' });
  const { git: _git, exec: _exec, clone: _clone, log: _log, clock: _clock, ...plain } = w.poolOptions;
  const program = fileURLToPath(new URL('./fixtures/crash-in-worktree.ts', import.meta.url));
  const input = JSON.stringify({ plain, stateDir: w.state.path, location: w.repo.path, head: w.head, owner });
  const crashed = spawnSync(process.execPath, ['--conditions=@baton/source', program], { input, env });
  expect(crashed.signal).toBe('SIGKILL');

  await w.pool.prepare({ head: '0'.repeat(40) });
  await w.pool.prepare({ head: w.head });
  expect(await show(w.clone, ref, 'half-done.txt')).toBe('half done\n');
  const workspace = await w.pool.acquire({ head: w.head, owner });
  expect(slotOf(workspace.path)).toBe('w1');
  expect(existsSync(path.join(workspace.path, 'half-done.txt'))).toBe(false);
});
