import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  commitTask,
  createWorkspacePool,
  openClone,
  startTask,
  type Clone,
  type WorkspacePool,
} from '@baton/spawner';
import { tempDir } from '@baton/testkit';
import { mustRun } from '../../run-program.ts';
import { identity, makeBenchRepo } from '../bench-repo.ts';
import { openMachine, type Machine } from './machine.ts';
import { median, ms, timed, type Order, type Part, type Row } from './row.ts';

interface Size {
  files: number;
  rounds: number;
  most: number;
}

const sizes: readonly Size[] = [
  { files: 5_000, rounds: 12, most: 0.25 },
  { files: 50_000, rounds: 5, most: 0.15 },
];
const shortSize: Size = { files: 200, rounds: 2, most: 0.25 };
/** What one agent of the churn writes and removes, as shares of all files. */
const churned = { written: 0.4, removed: 0.2 };
const ext4 = 0xef53;
/** Two medians of the same thing differ by so much. */
const noise = 0.1;

/** How soon a workspace is ready, against a worktree that git makes; and whether much work in it makes it slower. */
export const workspaces: Part = async (order) => {
  const rows: Row[] = [];
  for (const size of order.short ? [shortSize] : sizes) rows.push(...(await compare(size, order)));
  return rows;
};

interface Scene {
  machine: Machine;
  repo: string;
  clone: Clone;
  pool: WorkspacePool;
  /** Commits of the target, each with one more change. */
  heads: string[];
}

async function compare(size: Size, { seed, short, say }: Order): Promise<Row[]> {
  await using folder = await tempDir();
  using machine = await openMachine();
  say(`making a repository of ${size.files} files`);
  const scene = await stage(machine, { folder: folder.path, size, seed });
  const [own, peer]: [number[], number[]] = [[], []];
  for (let round = 0; round <= size.rounds; round += 1) {
    const head = scene.heads[round] ?? '';
    const tree = path.join(folder.path, `peer-${round}`);
    const add = () =>
      mustRun(['git', 'worktree', 'add', '--quiet', '--detach', tree, head], { cwd: scene.repo });
    const first = round % 2 === 0;
    const added = first ? await timed(add) : 0;
    const ready = await work(scene, { head, round });
    peer.push(first ? added : await timed(add));
    own.push(ready);
    await mustRun(['git', 'worktree', 'remove', '--force', tree], { cwd: scene.repo });
  }
  // The first of each makes folders and fills caches.
  const [mine, theirs] = [median(own.slice(1)), median(peer.slice(1))];
  say(`a workspace is ready in ${ms(mine)}, a worktree in ${ms(theirs)}`);
  const rows: Row[] = [
    {
      what: `a workspace is ready, ${size.files} files`,
      ...{ baton: ms(mine), peer: `${ms(theirs)} for git worktree add`, value: mine / theirs, unit: '×' },
      aim: { most: size.most },
    },
  ];
  if (size.files === sizes[0]?.files || short)
    rows.push(await afterChurn(scene, { size, before: mine, say }));
  await scene.pool.close();
  return rows;
}

async function stage(
  machine: Machine,
  { folder, size, seed }: { folder: string; size: Size; seed: number },
): Promise<Scene> {
  const repo = path.join(folder, 'repo');
  mkdirSync(repo);
  await makeBenchRepo(repo, { files: size.files, seed });
  const heads: string[] = [];
  for (let round = 0; round <= size.rounds * 2 + 2; round += 1) {
    writeFileSync(path.join(repo, 'out', `landed-${round}.txt`), `${round}\n`);
    await mustRun(['git', 'add', 'out'], { cwd: repo });
    await mustRun(['git', ...identity, 'commit', '--quiet', '-m', `landed ${round}`], { cwd: repo });
    heads.push((await mustRun(['git', 'rev-parse', 'HEAD'], { cwd: repo })).stdout.trim());
  }
  const { git, exec, env, log, clock } = machine;
  const clone = await openClone({ git, stateDir: path.join(folder, 'state'), repoId: 'r', location: repo });
  const dir = path.join(folder, 'state', 'worktrees', 'r');
  const pool = createWorkspacePool({ clone, dir, exec, env, log, clock, setup: null, sourceRoot: repo });
  return { machine, repo, clone, pool, heads };
}

/** One batch of one task, as a worker has it: a few files changed, one added, committed. Gives how soon its workspace was ready, in ms. */
async function work(
  { machine, pool }: Scene,
  { head, round }: { head: string; round: number },
): Promise<number> {
  const owner = { taskId: `task-${round}`, fence: round + 1 };
  const startedMs = performance.now();
  const workspace = await pool.acquire({ head, owner });
  const readyMs = performance.now() - startedMs;
  const { startCommit } = await startTask(workspace, { head, owner });
  for (const name of ['src/d000/f00.txt', 'src/d001/f01.txt', `out/own-${round}.txt`])
    writeFileSync(path.join(workspace.path, name), `changed in round ${round}\n`);
  await commitTask(workspace, { git: machine.git, startCommit, message: `task ${round}`, trailers: {} });
  await pool.release(workspace);
  return readyMs;
}

/** Agents write and remove a good share of all files, over and over; then a workspace is asked for as before. */
async function afterChurn(
  scene: Scene,
  { size, before, say }: { size: Size; before: number; say: Order['say'] },
): Promise<Row> {
  const { pool, heads } = scene;
  const cycles = size.rounds;
  say(`${cycles} agents write ${churned.written * 100} % and remove ${churned.removed * 100} % of all files`);
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const workspace = await pool.acquire({ head: heads[size.rounds] ?? '', owner: null });
    for (let at = 0; at < size.files * churned.written; at += 1) {
      const folder = path.join(
        workspace.path,
        'src',
        `d${String(at % Math.max(1, size.files / 100)).padStart(3, '0')}`,
      );
      writeFileSync(path.join(folder, `churn-${cycle}-${at}.txt`), `${at}\n`);
    }
    for (let at = cycle % 5; at < size.files; at += Math.round(1 / churned.removed)) {
      const [group, number] = [Math.floor(at / 100), at % 100].map((part, place) =>
        String(part).padStart(3 - place, '0'),
      );
      rmSync(path.join(workspace.path, `src/d${group}/f${number}.txt`), { force: true });
    }
    await pool.release(workspace);
  }
  const after: number[] = [];
  for (let round = 0; round <= size.rounds; round += 1) {
    const at = size.rounds + 1 + round;
    after.push(await work(scene, { head: heads[at] ?? '', round: at }));
  }
  // The first has the last agent's work to put away.
  const mine = median(after.slice(1));
  const isExt4 = statfsSync(scene.clone.path).type === ext4;
  return {
    what: `a workspace is ready after that much work of agents, ${size.files} files, ${isExt4 ? 'ext4' : 'not on ext4'}`,
    ...{ baton: ms(mine), peer: `${ms(before)} before`, value: mine / before, unit: '×' },
    aim: isExt4 ? { most: 1 + noise } : null,
  };
}
