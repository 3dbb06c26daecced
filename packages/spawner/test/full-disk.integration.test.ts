import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { createRepo, tempDir, testRounds, until, type RepoFiles } from '@baton/testkit';
import { expect, test } from 'vitest';
import {
  commitTask,
  createVerifyPool,
  createWorkspacePool,
  openClone,
  salvage,
  salvageRef,
  type IsolationWish,
} from '../src/index.ts';
import { fullDisk } from '../src/process/full-disk.ts';
import { clock, env, exec, git, quietLog } from './support/real.ts';
import { show } from './support/workspaces.ts';
import { sh, ways } from './support/verifying.ts';

const canMount =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0;
const onSmallDisk = test.runIf(canMount);
const kinds = ['room', 'inodes'] as const;
type Kind = (typeof kinds)[number];
const owner = { taskId: 'task-1', fence: 1 };
const files: RepoFiles = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [`src/f${n}.txt`, `${n}\n`.repeat(50)]),
);

/** A state folder on a small disk of its own that can be filled up and freed. */
async function smallDisk(kind: Kind, isolation: IsolationWish = 'auto') {
  const stack = new AsyncDisposableStack();
  const repo = stack.use(await createRepo(files));
  const state = stack.use(await tempDir());
  const options = kind === 'room' ? 'size=24m' : 'nr_inodes=3000';
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', state.path]);
  stack.defer(() => void spawnSync('umount', ['-l', state.path]));
  const clone = await openClone({ git, stateDir: state.path, repoId: 'r1', location: repo.path });
  const head = await clone.fetchTarget('main');
  const options_ = { git, exec, clone, setup: null, sourceRoot: repo.path, env, log: quietLog, clock };
  const pool = createWorkspacePool({ ...options_, dir: path.join(state.path, 'pools', 'r1') });
  stack.defer(() => pool.close().catch(() => undefined));
  const verifyPool = createVerifyPool({
    ...options_,
    dir: path.join(state.path, 'worktrees', 'r1', 'verify-1'),
    isolation,
  });
  const ballast = path.join(state.path, 'ballast');
  return {
    ...{ repo, state, clone, head, pool, verifyPool },
    /** Leaves so many pages or inodes. */
    fill(leave = 0) {
      mkdirSync(ballast, { recursive: true });
      try {
        if (kind === 'room') {
          const file = openSync(path.join(ballast, 'big'), 'a');
          try {
            for (;;) if (writeSync(file, Buffer.alloc(4_096)) < 4_096) break;
          } finally {
            closeSync(file);
          }
        } else for (let n = 0; ; n += 1) writeFileSync(path.join(ballast, String(n)), '');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
      const big = path.join(ballast, 'big');
      if (kind === 'room') truncateSync(big, statSync(big).size - leave * 4_096);
      else for (let n = 0; n < leave; n += 1) rmSync(path.join(ballast, String(n)));
    },
    free: () => rmSync(ballast, { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const isFull: unknown = {
  code: 'WORKSPACE_FAILED',
  message: expect.stringMatching(/^The disk of .* is full \(/) as string,
  fix: expect.stringContaining('df -i') as string,
};

for (const kind of kinds) {
  onSmallDisk(
    `out of ${kind}: salvage loses nothing, names the disk, and goes on when there is room`,
    async () => {
      await using d = await smallDisk(kind);
      const workspace = await d.pool.acquire({ head: d.head, owner });
      for (let n = 0; n < 20; n += 1)
        writeFileSync(path.join(workspace.path, `new${n}.txt`), `work ${n}\n`.repeat(500));
      d.fill();
      await expect(d.pool.release(workspace)).rejects.toMatchObject(isFull as object);
      d.free();
      await d.pool.recover();
      for (let n = 0; n < 20; n += 1)
        expect(await show(d.clone, salvageRef(owner), `new${n}.txt`)).toBe(`work ${n}\n`.repeat(500));
      const next = await d.pool.acquire({ head: d.head, owner: null });
      expect(existsSync(path.join(next.path, 'new0.txt'))).toBe(false);
    },
  );

  onSmallDisk(`out of ${kind}: salvage by itself names the disk, also of a tree without work`, async () => {
    await using d = await smallDisk(kind);
    const workspace = await d.pool.acquire({ head: d.head, owner });
    d.fill();
    await expect(salvage(workspace, owner)).rejects.toMatchObject(isFull as object);
    writeFileSync(path.join(workspace.path, 'src/f1.txt'), '');
    const failed: unknown = await salvage(workspace, owner).catch((error: unknown) => error);
    expect(failed).toMatchObject(isFull as object);
    expect(String(failed).split('is full')).toHaveLength(2);
    d.free();
    expect(await salvage(workspace, owner)).toBe(salvageRef(owner));
  });

  onSmallDisk(`out of ${kind}: a commit names the disk and can be made again`, async () => {
    await using d = await smallDisk(kind);
    const workspace = await d.pool.acquire({ head: d.head, owner });
    for (let n = 0; n < 20; n += 1)
      writeFileSync(path.join(workspace.path, `new${n}.txt`), `work ${n}\n`.repeat(500));
    const commit = () => commitTask(workspace, { git, startCommit: d.head, message: 'm', trailers: {} });
    d.fill();
    await expect(commit()).rejects.toMatchObject(isFull as object);
    d.free();
    const { headCommit } = await commit();
    expect(await show(d.clone, headCommit, 'new19.txt')).toBe('work 19\n'.repeat(500));
  });

  onSmallDisk(`out of ${kind}: no worktree is handed out half, and the next one is whole`, async () => {
    await using d = await smallDisk(kind);
    d.fill();
    await expect(d.pool.acquire({ head: d.head, owner })).rejects.toMatchObject(isFull as object);
    d.free();
    const workspace = await d.pool.acquire({ head: d.head, owner });
    for (let n = 0; n < 40; n += 1)
      expect(readFileSync(path.join(workspace.path, `src/f${n}.txt`), 'utf8')).toBe(`${n}\n`.repeat(50));
  });

  onSmallDisk(`out of ${kind}: a verification decides nothing, and the next one does`, async () => {
    await using d = await smallDisk(kind);
    const wish = { head: d.head, onto: d.head };
    const judge = () => d.verifyPool.use(wish, (place) => sh(place, 'cat src/f1.txt >copy && cat copy'));
    await judge();
    d.fill();
    await expect(judge()).rejects.toMatchObject(isFull as object);
    d.free();
    expect(await judge()).toMatchObject({ exitCode: 0, stdout: '1\n'.repeat(50) });
  });
}

onSmallDisk('a file system that says no size is not taken for a full one', async () => {
  await using folder = await tempDir();
  execFileSync('mount', ['-t', 'ramfs', 'none', folder.path]);
  try {
    expect(fullDisk(folder.path, null)).toBeNull();
  } finally {
    spawnSync('umount', ['-l', folder.path]);
  }
});

onSmallDisk.each([
  ['not even links to them', 0],
  ['links to them, and not for them', 150],
])(
  'out of room: commits that an agent borrows from elsewhere are saved once there is room, where it had room for %s',
  async (_, leave) => {
    await using d = await smallDisk('room');
    await using other = await createRepo({ 'a.txt': 'a\n' });
    const workspace = await d.pool.acquire({ head: d.head, owner });
    const made = await other.commit({ 'big.bin': randomBytes(4_000_000).toString('base64') }, 'work');
    appendFileSync(
      path.join(workspace.path, '.git/objects/info/alternates'),
      `${path.join(other.path, '.git/objects')}\n`,
    );
    writeFileSync(path.join(workspace.path, '.git/HEAD'), `${made}\n`);
    d.fill(leave);
    await expect(d.pool.release(workspace)).rejects.toMatchObject(isFull as object);
    d.free();
    await d.pool.recover();
    const refs = (await git(['for-each-ref', '--format=%(refname)', 'refs/baton'], { cwd: d.clone.path }))
      .stdout;
    const reached = await git(['rev-list', ...refs.trim().split('\n')], { cwd: d.clone.path });
    expect(reached.stdout).toContain(made);
  },
);

onSmallDisk.each(ways)(
  'by %s, a command that fills the disk is a no; one that fails since others did decides nothing',
  async (isolation) => {
    await using d = await smallDisk('room', isolation);
    const judge = (line: string) =>
      d.verifyPool.use({ head: d.head, onto: d.head }, (place) => sh(place, line));
    expect((await judge('cat </dev/zero >big')).exitCode).not.toBe(0);
    const go = path.join(d.repo.path, '.git/go');
    const failing = judge(`: >'${go}'; while [ -e '${go}' ]; do sleep 0.02; done; exit 1`);
    await until(() => existsSync(go), { what: 'it runs' });
    d.fill();
    rmSync(go);
    await expect(failing).rejects.toMatchObject(isFull as object);
    d.free();
    expect((await judge('exit 1')).exitCode).toBe(1);
  },
);

/** What the disk still takes, as `fill` counts it: spread at first, then what lies between. */
const rooms = [1, 8, 30, 60, 300, 2, 3, 5, 12, 20, 45, 100];

onSmallDisk(
  'wherever the disk becomes full, work is in its ref once there is room',
  async () => {
    for (const kind of kinds)
      for (const leave of rooms.slice(0, testRounds({ short: 5, full: rooms.length }))) {
        await using d = await smallDisk(kind);
        const workspace = await d.pool.acquire({ head: d.head, owner });
        const work = Array.from(
          { length: 20 },
          (_, n) => [`new${n}.txt`, `work ${n}\n`.repeat(500)] as const,
        );
        for (const [file, content] of work) writeFileSync(path.join(workspace.path, file), content);
        d.fill(leave);
        const wasFull = await d.pool.release(workspace).then(
          () => false,
          (error: unknown) => {
            expect([kind, leave, error]).toEqual([kind, leave, expect.objectContaining(isFull as object)]);
            return true;
          },
        );
        d.free();
        if (wasFull) await d.pool.recover();
        for (const [file, content] of work)
          expect([kind, leave, await show(d.clone, salvageRef(owner), file)]).toEqual([kind, leave, content]);
        const next = await d.pool.acquire({ head: d.head, owner: null });
        expect(existsSync(path.join(next.path, 'new0.txt'))).toBe(false);
      }
  },
  300_000,
);
