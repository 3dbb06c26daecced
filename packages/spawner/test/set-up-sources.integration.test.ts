import {
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { workspaceSetup, type Exec } from '@baton/contracts';
import { tempDir } from '@baton/testkit';
import { describe, expect, it, test } from 'vitest';
import { createVerifyPool } from '../src/index.ts';
import { treeState } from '../src/tree/tree-state.ts';
import { exec } from './support/real.ts';
import { sh, verifying, ways } from './support/verifying.ts';

const files = { 'a.txt': 'a\n', '.gitignore': 'node_modules\n' };
const setup = workspaceSetup.parse({ symlink: ['node_modules'] });
const inside = 'node_modules/dep/lib/index.js';

/** Edits a file as a tool does that keeps dates: same size, same time of change. */
function editQuietly(file: string, text: string): void {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, text);
  utimesSync(file, atime, mtime);
}

describe.each(ways)('what set-up copies from the checkout, verified by %s', (isolation) => {
  it('is laid as it is now, also when a file deep in it was edited at equal size and date', async () => {
    await using w = await verifying(files, { isolation, setup });
    await w.repo.write({ [inside]: 'one' });
    const at = { head: w.head, onto: w.head };
    const seen = () =>
      w.verifyPool.use(at, async (place) => [(await sh(place, `cat ${inside}`)).stdout, place.setUpKey]);
    const [before, first] = await seen();
    expect(await seen()).toEqual([before, first]);
    expect((await w.verifyPool.nameSetUp(at)).key).toBe(first);
    editQuietly(path.join(w.repo.path, inside), 'two');
    const [after, second] = await seen();
    expect([before, after]).toEqual(['one', 'two']);
    expect(second).not.toBe(first);
  });

  it('is copied again when it changed while it was copied, and named by what was copied last', async () => {
    await using w = await verifying(files, { isolation, setup });
    await w.repo.write({ [inside]: '0' });
    let copies = 0;
    const writing: Exec = async (argv, options) => {
      const ended = await exec(argv, options);
      if (argv[0] === 'cp' && argv.at(-2)?.startsWith(w.repo.path) === true && (copies += 1) <= changes)
        writeFileSync(path.join(w.repo.path, inside), String(copies));
      return ended;
    };
    const pool = createVerifyPool({ ...w.poolOptions, exec: writing, dir: w.dir, isolation });
    const at = { head: w.head, onto: w.head };
    const seen = () =>
      pool.use(at, async (place) => [(await sh(place, `cat ${inside}`)).stdout, place.setUpKey]);
    let changes = 1;
    expect(await seen()).toEqual(['1', (await pool.nameSetUp(at)).key]);
    expect(copies).toBe(2);

    writeFileSync(path.join(w.repo.path, inside), 'always');
    [copies, changes] = [0, 100];
    expect(await seen()).toEqual(['2', null]);
    expect(copies).toBe(3);

    [copies, changes] = [0, 0];
    expect(await seen()).toEqual(['3', (await pool.nameSetUp(at)).key]);
    expect(copies).toBe(1);
  });

  it('is the content of a folder that a link of the checkout leads to, and refused where that is outside', async () => {
    await using w = await verifying(files, { isolation, setup });
    await using elsewhere = await tempDir();
    mkdirSync(path.join(w.repo.path, 'store/real'), { recursive: true });
    writeFileSync(path.join(w.repo.path, 'store/real/check'), 'linked');
    symlinkSync('real', path.join(w.repo.path, 'store/next'));
    symlinkSync(path.join('store', 'next'), path.join(w.repo.path, 'node_modules'));
    const at = { head: w.head, onto: w.head };
    const looked = await w.verifyPool.use(at, (place) =>
      sh(place, 'cat node_modules/check; test -L node_modules'),
    );
    expect(looked).toMatchObject({ stdout: 'linked', exitCode: 1 });
    renameSync(path.join(w.repo.path, 'store'), path.join(elsewhere.path, 'store'));
    symlinkSync(path.join(elsewhere.path, 'store'), path.join(w.repo.path, 'store'));
    await expect(w.verifyPool.use(at, () => Promise.resolve())).rejects.toMatchObject({
      code: 'PATH_OUTSIDE',
    });
  });
});

test('an agent gets what changed deep in a folder of the checkout, and what the set-up command adds to it', async () => {
  const adds = workspaceSetup.parse({
    symlink: ['node_modules'],
    setup: ['sh', '-c', 'echo made >node_modules/made'],
  });
  await using w = await verifying(files, { isolation: 'copy', setup: adds });
  await w.repo.write({ [inside]: 'one' });
  const look = async () => {
    const worktree = await w.pool.acquire({ head: w.head, owner: null });
    const read = [inside, 'node_modules/made'].map((file) =>
      readFileSync(path.join(worktree.path, file), 'utf8'),
    );
    await w.pool.release(worktree);
    return read;
  };
  expect(await look()).toEqual(['one', 'made\n']);
  editQuietly(path.join(w.repo.path, inside), 'two');
  expect(await look()).toEqual(['two', 'made\n']);
});

test('the state of a folder separates names with new lines, case, modes and links, and gives up on too many entries', async () => {
  await using folder = await tempDir();
  const at = (name: string) => path.join(folder.path, name);
  writeFileSync(at('a'), '');
  const states = [await treeState(folder.path)];
  for (const [from, to] of [
    ['a', 'A'],
    ['A', 'A\nb'],
    ['A\nb', 'b'],
  ] as const) {
    renameSync(at(from), at(to));
    states.push(await treeState(folder.path));
  }
  symlinkSync('b', at('link'));
  states.push(await treeState(folder.path));
  expect(new Set(states).size).toBe(states.length);
  expect(await treeState(folder.path)).toBe(states.at(-1));
  expect(await treeState(folder.path, 2)).toBeNull();
});
