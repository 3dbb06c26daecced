import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '@baton/contracts';
import { tempDir, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { createWorkspacePool, orphanSweep, tidyState, unsavedTrees } from '../src/index.ts';
import { fileLock, holderElsewhere, tryFileLock } from '../src/process/file-lock.ts';
import { isBeforeReboot, isOtherSpace, ownSpace } from '../src/process/lock-space.ts';
import { clock, exec, git } from './support/real.ts';
import { holdElsewhere, otherSpace } from './support/elsewhere.ts';
import { show, workspaces } from './support/workspaces.ts';

const owner = { taskId: '01a20000-0000-7000-8000-000000000001', fence: 3 };

test.concurrent(
  'a worktree of a living agent on another host is left alone, which is said; once that host is silent its work is saved',
  async () => {
    await using w = await workspaces({ 'a.txt': 'one\n' });
    const said: unknown[] = [];
    const log: Log = {
      info: (text, more) => void said.push([text, more]),
      warn: () => undefined,
      error: () => undefined,
    };
    const options = { ...w.poolOptions, dir: path.join(w.state.path, 'worktrees/r1/agent-1'), log };
    const theirs = await createWorkspacePool(options).acquire({ head: w.head, owner });
    writeFileSync(path.join(theirs.path, 'mine.txt'), 'at work\n');
    const slot = path.dirname(theirs.path);
    rmSync(path.join(slot, 'lock'), { recursive: true });
    const other = holdElsewhere(path.join(slot, 'lock'));

    const pool = createWorkspacePool(options);
    await pool.recover();
    expect(said).toContainEqual([
      'a worktree is left alone: a process on another host or in another container has it',
      { path: slot, host: 'otherhost' },
    ]);
    const mine = await pool.acquire({ head: w.head, owner: null });
    expect(mine.path).not.toBe(theirs.path);
    expect(readFileSync(path.join(theirs.path, 'mine.txt'), 'utf8')).toBe('at work\n');
    expect(await w.clone.salvageRefs()).toEqual([]);
    // A person is told of it all the same: its process may be dead.
    expect(unsavedTrees(w.state.path)).toEqual([{ taskId: owner.taskId, path: theirs.path }]);

    other.end();
    await pool.recover();
    const [saved] = await w.clone.salvageRefs(owner.taskId);
    expect(await show(w.clone, String(saved?.ref), 'mine.txt')).toBe('at work\n');
    await pool.close();
  },
);

test.concurrent(
  'a round of upkeep waits for one that another host began, until that host is silent',
  async () => {
    await using w = await workspaces({ 'a.txt': 'one\n' });
    const round = () =>
      tidyState({
        ...{ git, exec, clock, stateDir: w.state.path, logsDir: path.join(w.state.path, 'logs') },
        rules: { attemptsMs: null, salvageMs: null, worktreesMs: null, maxBytes: null },
        ids: { uuid: () => '1' },
        endOf: () => Promise.resolve(null),
        runsOf: () => Promise.resolve([]),
      });
    const other = holdElsewhere(path.join(w.state.path, 'cleaning/lock'));
    expect((await round()).skipped).toBe(true);
    other.end();
    expect((await round()).skipped).toBe(false);
  },
);

test('the holder of a lock shows that it lives as long as it has it, and its release is seen at once', async () => {
  await using folder = await tempDir();
  const lock = await fileLock(folder.path, () => Promise.reject(new Error('waited')));
  const read = (name: string) => readFileSync(path.join(folder.path, '1', name), 'utf8');
  const [holder, beat] = [read('holder'), read('beat')];
  expect(holder.split('\n')[2]).toBe(ownSpace());
  await until(() => read('beat') !== beat, { what: 'the beat changes', timeoutMs: 20_000 });
  expect(read('beat')).toHaveLength(beat.length);
  // As it looks from elsewhere: same pid, same start, another host.
  writeFileSync(path.join(folder.path, '1', 'holder'), holder.replace(ownSpace(), otherSpace));
  expect(tryFileLock(folder.path)).toBeNull();
  expect(holderElsewhere(folder.path)).toBe('otherhost');
  lock.release();
  expect(holderElsewhere(folder.path)).toBeNull();
  expect(tryFileLock(folder.path)).not.toBeNull();
});

test('a lock that another host took in the meantime can still be released, and stays theirs', async () => {
  await using folder = await tempDir();
  const lock = tryFileLock(folder.path);
  const other = holdElsewhere(folder.path);
  rmSync(path.join(folder.path, '1'), { recursive: true });
  lock?.release();
  expect(tryFileLock(folder.path)).toBeNull();
  expect(holderElsewhere(folder.path)).toBe('otherhost');
  other.end();
});

test('records of processes of another host are left to it', async () => {
  await using state = await tempDir();
  const folder = path.join(state.path, 'processes');
  mkdirSync(folder);
  const dead = {
    pid: 7,
    pidStarted: 'another-1',
    marker: 'm',
    supervisor: { pid: 6, pidStarted: 'another-0' },
  };
  writeFileSync(path.join(folder, 'theirs.json'), JSON.stringify({ ...dead, space: otherSpace }));
  writeFileSync(path.join(folder, 'ours.json'), JSON.stringify({ ...dead, space: ownSpace() }));
  await orphanSweep({ stateDir: state.path });
  expect(readdirSync(folder)).toEqual(['theirs.json']);
});

test('only a host outside of containers that was started again is known to have no process left', () => {
  const now = 'here b 4026531836 i';
  expect(isBeforeReboot('here a 4026531836 i', now)).toBe(true);
  const others = [
    now,
    'there a 4026531836 i',
    'here a 4026532999 i',
    'here - 4026531836 i',
    'here a 4026531836 j',
    '',
  ];
  for (const other of others) expect(isBeforeReboot(other, now)).toBe(false);
  expect(isBeforeReboot('here a 4026531836 i', 'here b 4026532999 i')).toBe(false);
  expect(isBeforeReboot('here a 4026531836 -', 'here b 4026531836 -')).toBe(false);
});

test('a host that gets another name while it is up is the same one', () => {
  const [, ...rest] = ownSpace().split(' ');
  expect(isOtherSpace(['renamed', ...rest].join(' '))).toBe(false);
  expect(isOtherSpace(['renamed', 'another', ...rest.slice(1)].join(' '))).toBe(true);
});
