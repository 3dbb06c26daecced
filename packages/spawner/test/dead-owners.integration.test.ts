import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ownSpace } from '../src/process/lock-space.ts';
import { createWorkspacePool, processStart } from '../src/index.ts';
import { env } from './support/real.ts';
import { show, workspaces } from './support/workspaces.ts';

const owner = { taskId: 'task-7', fence: 3 };
const mine = `${process.pid}\n${processStart(process.pid) ?? ''}\n${ownSpace()}\n`;

/** Who is written to hold a lock: `0`, or a pid and when it started. */
function holderOf(lock: string): string {
  const newest = Math.max(...readdirSync(lock).map(Number));
  return readFileSync(path.join(lock, String(newest), 'holder'), 'utf8');
}

test('a pool frees at once what a killed process held of worktrees and ports, saves its work, and leaves others alone', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const living = await w.pool.acquire({ head: w.head, owner: null });
  const { git: _git, exec: _exec, clone: _clone, log: _log, clock: _clock, ...plain } = w.poolOptions;
  const program = fileURLToPath(new URL('./fixtures/crash-in-worktree.ts', import.meta.url));
  const input = JSON.stringify({ plain, stateDir: w.state.path, location: w.repo.path, head: w.head, owner });
  const crashed = spawnSync(process.execPath, ['--conditions=@baton/source', program], {
    input,
    env,
    encoding: 'utf8',
  });
  expect(crashed.signal, crashed.stderr).toBe('SIGKILL');

  const slots = path.dirname(path.dirname(living.path));
  const locks = readdirSync(slots).map((slot) => path.join(slots, slot, 'lock'));
  const folder = readdirSync(w.state.path, { recursive: true, encoding: 'utf8' }).find(
    (name) => path.basename(name) === 'ports',
  );
  const ports = path.join(w.state.path, folder ?? '');
  const blocks = readdirSync(ports).map((block) => path.join(ports, block));
  const holders = () => [locks.map(holderOf), blocks.map(holderOf)];
  const theirs = new RegExp(`^${crashed.pid}\n`);
  expect(holders()).toEqual([
    [mine, expect.stringMatching(theirs)],
    [mine, expect.stringMatching(theirs)],
  ]);

  await createWorkspacePool(w.poolOptions).recover();
  expect(holders()).toEqual([
    [mine, '0\n'],
    [mine, '0\n'],
  ]);
  const [saved] = await w.clone.salvageRefs(owner.taskId);
  expect(await show(w.clone, String(saved?.ref), 'half-done.txt')).toBe('half done\n');
  expect(existsSync(living.path)).toBe(true);
});
