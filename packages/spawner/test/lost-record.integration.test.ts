import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { sequentialIds } from '@baton/testkit';
import { expect, test } from 'vitest';
import {
  createWorkspacePool,
  listSalvage,
  listSetAside,
  restoreSalvage,
  tidyState,
  unsavedTrees,
} from '../src/index.ts';
import { clock, exec, git } from './support/real.ts';
import { workspaces } from './support/workspaces.ts';

const owner = { taskId: '01a20000-0000-7000-8000-000000000001', fence: 3 };

/** A worktree whose process died at work, with work in it; `spoil` gets its record. */
async function died(spoil: (file: string) => void) {
  const w = await workspaces({ 'a.txt': 'one\n' });
  const dir = path.join(w.state.path, 'worktrees/r1/batch-1');
  const options = { ...w.poolOptions, dir };
  const workspace = await createWorkspacePool(options).acquire({ head: w.head, owner });
  writeFileSync(path.join(workspace.path, 'mine.txt'), 'hours of work\n');
  const slot = path.dirname(workspace.path);
  spoil(path.join(slot, 'meta/state.json'));
  rmSync(path.join(slot, 'lock'), { recursive: true }); // as that of a dead process
  return {
    w,
    slot,
    pool: createWorkspacePool(options),
    [Symbol.asyncDispose]: () => w[Symbol.asyncDispose](),
  };
}

const spoils: Readonly<Record<string, (file: string) => void>> = {
  empty: (file) => truncateSync(file, 0),
  cut: (file) => truncateSync(file, 20),
  garbage: (file) => writeFileSync(file, Buffer.alloc(200)),
  'of another form': (file) => writeFileSync(file, 'null'),
  missing: (file) => rmSync(file),
};

test.each(Object.keys(spoils))(
  'a worktree whose record is %s is set aside with the work in it, listed, and can be written into a folder',
  async (how) => {
    await using one = await died(spoils[how] as (file: string) => void);
    const { w, slot, pool } = one;
    expect(unsavedTrees(w.state.path)).toEqual([{ taskId: 'unknown', path: path.join(slot, 'tree') }]);
    const next = await pool.acquire({ head: w.head, owner });
    expect(readdirSync(next.path).sort()).toEqual(['.git', 'a.txt']);
    const [aside, ...more] = await listSalvage(w.clone);
    expect(more).toEqual([]);
    expect(aside).toMatchObject({
      ref: 'set-aside/unknown/0.1',
      kind: 'set-aside',
      title: 'the record of whose work is in it cannot be read',
    });
    expect(readFileSync(path.join(String(aside?.path), 'mine.txt'), 'utf8')).toBe('hours of work\n');
    const into = path.join(w.state.path, 'into');
    expect(await restoreSalvage(w.clone, 'set-aside/unknown/0.1', { into })).toEqual({
      files: 2,
      missing: ['.git'],
    });
    expect(unsavedTrees(w.state.path)).toEqual([]);
    await pool.close();
  },
);

test('upkeep removes neither a worktree whose record cannot be read nor one that was set aside for that', async () => {
  await using one = await died((file) => truncateSync(file, 0));
  const { w, slot, pool } = one;
  const round = () =>
    tidyState({
      ...{ git, exec, stateDir: w.state.path, logsDir: path.join(w.state.path, 'logs') },
      rules: { attemptsMs: 0, salvageMs: 0, worktreesMs: 0, maxBytes: 1 },
      clock: { ...clock, now: () => new Date(clock.now().getTime() + 1e12) },
      ids: sequentialIds(),
      endOf: () => Promise.resolve(new Date(0)),
      runsOf: () => Promise.resolve([]),
    });
  await round();
  expect(readFileSync(path.join(slot, 'tree/mine.txt'), 'utf8')).toBe('hours of work\n');
  await pool.recover();
  const [aside] = listSetAside(w.clone);
  await round();
  expect(existsSync(path.join(String(aside?.path), 'mine.txt'))).toBe(true);
});

test('a worktree that was set aside is listed although the record of why is cut', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const folder = path.join(path.dirname(w.clone.path), 'set-aside', owner.taskId, '3.1');
  mkdirSync(path.join(folder, 'tree'), { recursive: true });
  writeFileSync(path.join(folder, 'record.json'), '{"taskId":');
  expect(listSetAside(w.clone, owner.taskId)).toMatchObject([
    { ...owner, ref: `set-aside/${owner.taskId}/3.1`, why: 'the record of why cannot be read' },
  ]);
});
