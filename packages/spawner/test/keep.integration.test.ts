import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  commitTask,
  createWorkspacePool,
  journalFolder,
  placeOf,
  salvage,
  tidyState,
  type AttemptKey,
  type KeepRules,
} from '../src/index.ts';
import { clock, exec, git } from './support/real.ts';
import { show, workspaces } from './support/workspaces.ts';

const dayMs = 86_400_000;
const rules: KeepRules = {
  attemptsMs: 30 * dayMs,
  salvageMs: 90 * dayMs,
  worktreesMs: 7 * dayMs,
  maxBytes: null,
};
const uuid = (n: number): string => `01a20000-0000-7000-8000-00000000000${n}`;
let ids = 0;

/** A state folder like the worker's, with attempts of three tasks: one settled long ago, one lately, one not settled. */
async function lived() {
  const w = await workspaces({ 'a.txt': 'one\n' });
  const pool = createWorkspacePool({
    ...w.poolOptions,
    dir: path.join(w.state.path, 'worktrees/r1/agent-1'),
  });
  const ended = new Map([
    [uuid(1), new Date(clock.now().getTime() - 100 * dayMs)],
    [uuid(2), new Date(clock.now().getTime() - 40 * dayMs)],
  ]);
  for (const n of [1, 2, 3]) {
    const owner = { taskId: uuid(n), fence: 1 };
    const space = await pool.acquire({ head: w.head, owner });
    writeFileSync(path.join(space.path, `${n}.txt`), `${n}\n`);
    writeFileSync(path.join(space.path, '.env'), `SECRET=${n}\n`);
    await salvage(space, owner);
    const made = await commitTask(space, { git, startCommit: w.head, message: 'm', trailers: {} });
    await w.clone.keepAttempt({ ...owner, commit: made.headCommit });
    await pool.release(space);
  }
  const logsDir = path.join(w.state.path, 'logs');
  mkdirSync(logsDir);
  for (const [name, days] of [
    ['old.log', 40],
    ['new.log', 1],
  ] as const) {
    writeFileSync(path.join(logsDir, name), name);
    age(path.join(logsDir, name), days);
  }
  const tidy = (given: { dryRun?: boolean; rules?: Partial<KeepRules> } = {}) =>
    tidyState({
      ...{ git, exec, clock, logsDir, stateDir: w.state.path },
      ids: { uuid: () => `${(ids += 1)}` },
      rules: { ...rules, ...given.rules },
      ...(given.dryRun === undefined ? {} : { dryRun: given.dryRun }),
      runsOf: () => Promise.resolve([]),
      endOf: ({ taskId }: AttemptKey) => Promise.resolve(ended.get(taskId) ?? null),
    });
  const refs = async () =>
    (
      await git(['for-each-ref', '--format=%(refname)', 'refs/baton/attempts', 'refs/baton/salvage'], {
        cwd: w.clone.path,
      })
    ).stdout
      .split('\n')
      .filter((line) => line !== '');
  return { ...w, pool, tidy, refs, logsDir, slot: path.join(w.state.path, 'worktrees/r1/agent-1/agent/w1') };
}

function age(file: string, days: number): void {
  const at = clock.now().getTime() / 1000 - days * 86_400;
  utimesSync(file, at, at);
}

const name = (n: number, purpose: string) => `refs/baton/${purpose}/${uuid(n)}/1`;

test('what outlived its retention goes with what belongs to it, each act recorded with its reason; all else stays', async () => {
  await using w = await lived();
  const planned = await w.tidy({ dryRun: true });
  expect((await w.refs()).length).toBe(6);
  expect(existsSync(journalFolder(w.state.path)) && readdirSync(journalFolder(w.state.path))).toEqual([
    'lock',
  ]);
  const done = await w.tidy();
  expect(done?.acts.map(placeOf).sort()).toEqual(planned?.acts.map(placeOf).sort());
  expect(await w.refs()).toEqual([name(3, 'attempts'), name(2, 'salvage'), name(3, 'salvage')]);
  const kept = path.join(path.dirname(w.clone.path), 'kept-files');
  expect([1, 2, 3].filter((n) => existsSync(path.join(kept, uuid(n), '1', '.env')))).toEqual([2, 3]);
  expect(readdirSync(w.logsDir)).toEqual(['new.log']);
  expect(existsSync(w.slot)).toBe(true);
  const [record = ''] = readdirSync(journalFolder(w.state.path)).filter((file) => file.endsWith('.json'));
  const text = readFileSync(path.join(journalFolder(w.state.path), record), 'utf8');
  expect(text).toContain('its task is settled, and its attempt ended 100 days ago');
  expect((JSON.parse(text) as { done: unknown[] }).done).toHaveLength(done?.acts.length ?? 0);
  expect((await w.tidy())?.acts).toEqual([]);
});

test('packing loses nothing that a ref, a worktree or its agent has checked out, and is no tampering to the clone’s guard', async () => {
  await using w = await lived();
  const space = await w.pool.acquire({ head: w.head, owner: { taskId: uuid(4), fence: 1 } });
  writeFileSync(path.join(space.path, 'b.txt'), 'b\n');
  const made = await commitTask(space, { git, startCommit: w.head, message: 'm', trailers: {} });
  for (const folder of readdirSync(path.join(w.clone.path, 'objects')).filter((name) => name.length === 2))
    for (const file of readdirSync(path.join(w.clone.path, 'objects', folder)))
      age(path.join(w.clone.path, 'objects', folder, file), 60);
  const gone = (await w.clone.resolve(name(1, 'attempts'))) ?? '';
  expect((await w.tidy())?.acts.map(({ kind }) => kind)).toContain('pack');
  expect(await w.clone.resolve(gone)).toBeNull();
  expect(await w.clone.resolve(made.headCommit)).toBe(made.headCommit);
  expect(await show(w.clone, name(2, 'salvage'), '2.txt')).toBe('2\n');
  expect(await w.clone.restore()).toEqual([]);
  expect((await git(['for-each-ref', 'refs/baton/worktrees'], { cwd: w.clone.path })).stdout).toBe('');
  expect((await git(['fsck', '--connectivity-only'], { cwd: w.clone.path })).exitCode).toBe(0);
  await w.pool.release(space);
});

test('a worktree goes when it was unused for long; one that is held, or holds unsaved work, never', async () => {
  await using w = await lived();
  const old = (): void => age(path.join(w.slot, 'meta', 'state.json'), 8);
  const held = await w.pool.acquire({ head: w.head, owner: { taskId: uuid(4), fence: 1 } });
  old();
  await w.tidy();
  expect(existsSync(held.path)).toBe(true);
  await w.pool.release(held);
  const state = path.join(w.slot, 'meta', 'state.json');
  const text = readFileSync(state, 'utf8');
  writeFileSync(state, JSON.stringify({ ...JSON.parse(text), owner: { taskId: uuid(4), fence: 1 } }));
  old();
  await w.tidy();
  expect(existsSync(w.slot)).toBe(true);
  writeFileSync(state, text);
  old();
  mkdirSync(path.join(`${w.slot}.gone`, 'tree'), { recursive: true });
  symlinkSync(w.repo.path, path.join(w.slot, 'tree', 'link'));
  await w.tidy();
  expect(existsSync(w.slot) || existsSync(`${w.slot}.gone`)).toBe(false);
  expect(existsSync(path.join(w.repo.path, 'a.txt'))).toBe(true);
  expect((await w.pool.acquire({ head: w.head, owner: null })).path).toBe(held.path);
});

test('above the limit idle worktrees go at once, unsettled work stays, and what is still too much is reported', async () => {
  await using w = await lived();
  const tidied = await w.tidy({ rules: { maxBytes: 1_000 } });
  expect(existsSync(w.slot)).toBe(false);
  expect(await w.refs()).toContain(name(3, 'attempts'));
  expect(tidied?.full).toMatch(
    /takes [1-9]\d*\.\d [kM]B, and retention\.disk in baton\.yaml allows 1\.0 kB$/,
  );
  writeFileSync(path.join(w.state.path, 'big'), Buffer.alloc(2_000_000));
  expect((await w.tidy({ rules: { maxBytes: 1_500_000 } }))?.full).toMatch(
    /takes \d\.\d MB, .* allows 1\.5 MB$/,
  );
  expect((await w.tidy({ rules: { maxBytes: 1e12 } }))?.full).toBeNull();
});

test('a round that was killed between record and acts is done by the next', async () => {
  await using w = await lived();
  const program = `import { recordActs } from ${JSON.stringify(path.resolve('src/keep/journal.ts'))};
    const clock = { now: () => new Date(), monotonicMs: () => 0 };
    recordActs({ stateDir: process.argv[1], clock, ids: { uuid: () => 'killed' } }, [{ kind: 'file' }]);
    process.kill(process.pid, 'SIGKILL');`;
  const options = ['--conditions=@baton/source', '--input-type=module', '-e', program, w.state.path];
  expect(spawnSync(process.execPath, options, { encoding: 'utf8' }).signal).toBe('SIGKILL');
  const before = await w.refs();
  expect((await w.tidy())?.acts.length).toBeGreaterThan(0);
  expect((await w.refs()).length).toBeLessThan(before.length);
  const records = readdirSync(journalFolder(w.state.path)).filter((file) => file.endsWith('.json'));
  const closed = records.filter((file) =>
    readFileSync(path.join(journalFolder(w.state.path), file), 'utf8').includes('closedAt'),
  );
  expect([records.length, closed.length]).toEqual([2, 1]);
});
