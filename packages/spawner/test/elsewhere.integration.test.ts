import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openClone, restoreSalvage, salvage, tidyState } from '../src/index.ts';
import { holdElsewhere } from './support/elsewhere.ts';
import { clock, exec, git } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

/** A process of another host whose pid is that of a living one here. */
const folderElsewhere = (folder: string) => holdElsewhere(path.join(folder, 'lock'), { pid: process.pid });

test.concurrent(
  'locks in a clone stay while a process of another host has it open, and go once that host is silent',
  async () => {
    await using w = await workspaces({ 'a.txt': 'one\n' });
    const repoId = path.basename(path.dirname(w.clone.path));
    const stateDir = path.resolve(w.clone.path, '../../..');
    const open = () => openClone({ git, stateDir, repoId, location: w.repo.path });
    const held = [
      path.join(w.clone.path, 'packed-refs.lock'),
      path.join(w.repo.path, '.git/refs/baton/lane/store/main.lock'),
    ];
    for (const file of held) {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, '');
    }
    const users = path.join(path.dirname(w.clone.path), 'users');
    expect(readdirSync(users), 'this process shows that it has the clone open').toHaveLength(1);
    const other = folderElsewhere(path.join(users, 'user-theirs'));
    await open();
    expect(held.filter((file) => existsSync(file))).toEqual(held);
    other.end();
    await open();
    expect(held.filter((file) => existsSync(file))).toEqual([]);
    await tidyState({
      ...{ git, exec, clock, stateDir, logsDir: path.join(stateDir, 'logs'), ids: { uuid: () => '1' } },
      rules: { attemptsMs: null, salvageMs: null, worktreesMs: null, maxBytes: null },
      endOf: () => Promise.resolve(null),
      runsOf: () => Promise.resolve([]),
    });
    expect(readdirSync(users)).toHaveLength(1);
  },
);

test.concurrent('a clone without locks opens at once while another host has it open', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const repoId = path.basename(path.dirname(w.clone.path));
  const stateDir = path.resolve(w.clone.path, '../../..');
  folderElsewhere(path.join(path.dirname(w.clone.path), 'users/user-theirs')).end();
  const startedMs = clock.monotonicMs();
  await openClone({ git, stateDir, repoId, location: w.repo.path });
  expect(clock.monotonicMs() - startedMs).toBeLessThan(10_000);
});

test.concurrent(
  'a restore leaves the draft of one at work on another host alone, whatever its pid',
  async () => {
    await using w = await workspaces({ 'a.txt': 'one\n' });
    const owner = { taskId: 'task-7', fence: 3 };
    const workspace = await w.pool.acquire({ head: w.head, owner });
    writeFileSync(path.join(workspace.path, 'b.txt'), 'mine\n');
    const ref = String(await salvage(workspace, owner));
    const folder = path.dirname(w.clone.path);
    const theirs = path.join(folder, `restore-${process.pid}.git`);
    const other = folderElsewhere(theirs);
    const dead = path.join(folder, 'restore-dead');
    mkdirSync(dead);
    const restored = await restoreSalvage(w.clone, ref, { into: path.join(w.state.path, 'restored') });
    expect(restored).toEqual({ files: 2, missing: [] });
    expect(readdirSync(folder).filter((name) => name.startsWith('restore-'))).toEqual([
      path.basename(theirs),
    ]);
    other.end();
  },
);
