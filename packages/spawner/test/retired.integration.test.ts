import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createWorkspacePool, tidyState } from '../src/index.ts';
import { clock, exec, git } from './support/real.ts';
import { sh, verifying } from './support/verifying.ts';
import { workspaces } from './support/workspaces.ts';

/** A file in a folder of its own that even root cannot remove, until it is let go; null: not here. */
function nailed(folder: string): { letGo(): void; [Symbol.dispose](): void } | null {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'nailed');
  writeFileSync(file, '');
  const chattr = (flag: string): boolean => spawnSync('chattr', [flag, file]).status === 0;
  if (!chattr('+i')) {
    console.warn('no file can be made immutable here: what cannot be removed is not tried');
    return null;
  }
  const letGo = (): void => void (existsSync(file) && chattr('-i'));
  return { letGo, [Symbol.dispose]: letGo };
}

const rules = { attemptsMs: null, salvageMs: null, worktreesMs: null, maxBytes: null };

test('a worktree that cannot be cleared is retired, another takes its place, and upkeep takes it back', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const folder = path.join(w.state.path, 'worktrees/r1/agent-1/agent');
  const pool = createWorkspacePool({ ...w.poolOptions, dir: path.dirname(folder) });
  const used = async (spoil?: (tree: string) => void): Promise<string> => {
    const { path: tree } = await pool.acquire({ head: w.head, owner: null }).then(async (space) => {
      spoil?.(space.path);
      await pool.release(space);
      return space;
    });
    return path.basename(path.dirname(tree));
  };
  const upkeep = () =>
    tidyState({
      ...{ git, exec, clock, rules, stateDir: w.state.path, logsDir: path.join(w.state.path, 'logs') },
      ids: { uuid: () => `${clock.monotonicMs()}` },
      runsOf: () => Promise.resolve([]),
      endOf: () => Promise.resolve(null),
    });
  expect(await used()).toBe('w1');
  using nail = nailed(path.join(folder, 'w1', 'tree.discarded'));
  if (nail === null) return;
  // A tree that is no folder can only be put aside.
  const replaced = (tree: string): void => {
    spawnSync('rm', ['-rf', tree]);
    symlinkSync('/nonexistent', tree);
  };
  expect(await used(replaced)).toBe('w1');
  expect(await used()).toBe('w2');
  expect(readFileSync(path.join(folder, 'w1.retired'), 'utf8')).toMatch(/^E[A-Z]+: .*tree\.discarded/);
  expect((await upkeep()).acts).toEqual([]);
  await pool.recover();
  expect(await used()).toBe('w2');
  nail.letGo();
  expect((await upkeep()).acts).toMatchObject([{ kind: 'worktree', path: path.join(folder, 'w1') }]);
  expect(existsSync(path.join(folder, 'w1.retired'))).toBe(false);
  expect(await used()).toBe('w1');
});

test('where one worktree after the other cannot be cleared, the error says which and the way out', async () => {
  await using w = await workspaces({ 'a.txt': 'one\n' });
  const folder = path.join(w.poolOptions.dir, 'agent');
  const nails = [1, 2, 3].map((n) => nailed(path.join(folder, `w${n}`, 'tree.discarded')));
  try {
    if (nails.includes(null)) return;
    for (const n of [1, 2, 3]) symlinkSync('/nonexistent', path.join(folder, `w${n}`, 'tree'));
    const tried = w.pool.acquire({ head: w.head, owner: null });
    await expect(tried).rejects.toMatchObject({
      ...{ code: 'WORKSPACE_FAILED', at: folder, retryable: true },
      fix: expect.stringContaining('chattr') as string,
    });
    const space = await w.pool.acquire({ head: w.head, owner: null });
    expect(path.basename(path.dirname(space.path))).toBe('w4');
  } finally {
    for (const nail of nails) nail?.letGo();
  }
});

test('a verification whose remains cannot be removed keeps its answer, and the next one gets another place', async () => {
  await using w = await verifying({ 'a.txt': 'one\n' }, { isolation: 'copy' });
  const slots = path.join(w.dir, 'verify', 'slots');
  const at = { head: w.head, onto: w.head };
  const nails: ReturnType<typeof nailed>[] = [];
  try {
    const first = await w.verifyPool.use(at, async (place) => {
      nails.push(nailed(path.join(slots, 'w1', 'run-99')));
      return (await sh(place, 'cat a.txt')).stdout;
    });
    expect(first).toBe('one\n');
    if (nails.includes(null)) return;
    expect(existsSync(path.join(slots, 'w1.retired'))).toBe(true);
    // A copy is laid when a command is run.
    nails.push(nailed(path.join(slots, 'w2', 'tree')));
    expect(await w.verifyPool.use(at, async (place) => (await sh(place, 'pwd; cat a.txt')).stdout)).toMatch(
      /w3\/tree\none\n$/,
    );
    for (const nail of nails) nail?.letGo();
    await w.verifyPool.recover();
    expect(existsSync(path.join(slots, 'w1.retired'))).toBe(false);
  } finally {
    for (const nail of nails) nail?.letGo();
  }
});
