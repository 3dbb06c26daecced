import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildCandidate,
  dropLandingRefs,
  moveTarget,
  openLaneRef,
  prepareTarget,
  publishCandidate,
  type LaneRef,
} from '@baton/janitor';
import { openClone } from '@baton/spawner';
import { tempDir } from '@baton/testkit';
import { mustRun } from '../../run-program.ts';
import { identity, makeBenchRepo } from '../bench-repo.ts';
import { openMachine, type Machine } from './machine.ts';
import { median, ms, timed, type Order, type Part, type Row } from './row.ts';

const sizes = [
  { files: 5_000, rounds: 15, most: 0.45 },
  { files: 50_000, rounds: 8, most: 0.1 },
] as const;
const shortSize = { files: 200, rounds: 2, most: 0.45 };
const target = 'baton/bench';

/** One clean change lands, against `git merge --no-ff` in a worktree. */
export const landings: Part = async (order) => {
  const rows: Row[] = [];
  for (const size of order.short ? [shortSize] : sizes) rows.push(await compare(size, order));
  return rows;
};

async function compare(
  { files, rounds, most }: { files: number; rounds: number; most: number },
  { seed, say }: Order,
): Promise<Row> {
  await using folder = await tempDir();
  const stateDir = path.join(folder.path, 'state');
  using machine = await openMachine(stateDir);
  say(`making a repository of ${files} files`);
  const scene = await stage(machine, { folder: folder.path, stateDir, files, seed });
  const [own, peer]: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round += 1) {
    const work = await changeOf(scene, round);
    const [mine, theirs] = [() => land(scene, { work, round }), () => mergeThere(scene, work)];
    if (round % 2 === 0) {
      own.push(await timed(mine));
      peer.push(await timed(theirs));
    } else {
      peer.push(await timed(theirs));
      own.push(await timed(mine));
    }
  }
  await bothHaveAll(scene, rounds + 1);
  const [mine, theirs] = [median(own.slice(1)), median(peer.slice(1))];
  say(`${files} files: landed in ${ms(mine)}, merged in ${ms(theirs)}`);
  return {
    what: `a clean change lands, ${files} files`,
    ...{
      baton: ms(mine),
      peer: `${ms(theirs)} for git merge --no-ff in a worktree`,
      value: mine / theirs,
      unit: '×',
    },
    aim: { most },
  };
}

interface Scene {
  machine: Machine;
  repo: string;
  clone: string;
  stateDir: string;
  /** Worktree of the peer's branch. */
  there: string;
  /** Worktree in which the changes are made. */
  desk: string;
  /** What all changes start from: the target is ahead of it after the first. */
  start: string;
  lane: LaneRef;
  head: string;
}

async function stage(
  machine: Machine,
  { folder, stateDir, files, seed }: { folder: string; stateDir: string; files: number; seed: number },
): Promise<Scene> {
  const [repo, there, desk] = ['repo', 'there', 'desk'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(repo);
  await makeBenchRepo(repo, { files, seed });
  const { git } = machine;
  await mustRun(['git', 'worktree', 'add', '--quiet', '-b', 'peer', there], { cwd: repo });
  await mustRun(['git', 'worktree', 'add', '--quiet', '--detach', desk], { cwd: repo });
  const clone = await openClone({ git, stateDir, repoId: 'r', location: repo });
  const start = await clone.fetchTarget('main');
  await prepareTarget({ git, repo, clone: clone.path, target, startPoint: start });
  const opened = await openLaneRef({
    ...{ git, repo, clone: clone.path, target, storeId: 'bench' },
    ...{ epoch: 1, holder: 'bench' },
  });
  if (!opened.ok) throw new Error('the lane was refused');
  return { machine, repo, clone: clone.path, stateDir, there, desk, start, lane: opened.lane, head: start };
}

/** A commit that changes one file and adds one, in both repositories. */
async function changeOf({ desk, start, clone, repo }: Scene, round: number): Promise<string> {
  await mustRun(['git', 'reset', '--quiet', '--hard', start], { cwd: desk });
  const folder = `d${String(round % 2).padStart(3, '0')}`;
  writeFileSync(
    path.join(desk, 'src', folder, `f${String(round % 90).padStart(2, '0')}.txt`),
    `round ${round}\n`,
  );
  writeFileSync(path.join(desk, 'out', `round-${round}.txt`), `round ${round}\n`);
  await mustRun(['git', 'add', '--all'], { cwd: desk });
  await mustRun(['git', ...identity, 'commit', '--quiet', '-m', `round ${round}`], { cwd: desk });
  const commit = (await mustRun(['git', 'rev-parse', 'HEAD'], { cwd: desk })).stdout.trim();
  await mustRun(['git', 'fetch', '--quiet', repo, `${commit}:refs/bench/${round}`], { cwd: clone });
  return commit;
}

/** From the change to the target that has it, as a worker does it; the verdict is not part of it. */
async function land(scene: Scene, { work, round }: { work: string; round: number }): Promise<void> {
  const { machine, repo, clone, stateDir, start, head } = scene;
  const { git, clock } = machine;
  const made = await buildCandidate({
    ...{ git, clone, targetHead: head, startCommit: start, headCommit: work },
    ...{ message: `round ${round}`, trailers: { 'Task-Id': `task-${round}` }, at: clock.now() },
  });
  if (made.kind !== 'clean') throw new Error(`the change of round ${round} is ${made.kind}`);
  const landingId = `landing-${round}`;
  const ref = await publishCandidate({ git, clone, repo, commit: made.commit, landingId });
  const moved = await moveTarget({
    ...{ git, repo, clone, target, stateDir, landingId, lane: scene.lane },
    ...{ from: head, to: made.commit },
  });
  if (moved.kind !== 'moved') throw new Error(`the target was not moved: ${moved.kind}`);
  scene.lane = moved.lane;
  scene.head = made.commit;
  await dropLandingRefs({ git, repo, refs: ref === null ? [] : [ref] });
}

async function mergeThere({ there }: Scene, work: string): Promise<void> {
  await mustRun(['git', ...identity, 'merge', '--quiet', '--no-ff', '-m', 'merge', work], { cwd: there });
}

/** Both have every change, or the times say nothing. */
async function bothHaveAll({ repo }: Scene, changes: number): Promise<void> {
  const ids = await Promise.all(
    [target, 'peer'].map(
      async (branch) => (await mustRun(['git', 'rev-parse', `${branch}^{tree}`], { cwd: repo })).stdout,
    ),
  );
  const listed = await mustRun(['git', 'ls-tree', '--name-only', target, 'out/'], { cwd: repo });
  const count = listed.stdout.split('\n').filter((name) => name.includes('round-')).length;
  if (ids[0] !== ids[1] || count !== changes)
    throw new Error(
      `${count} of ${changes} changes landed, and the trees are ${ids[0] === ids[1] ? '' : 'not '}the same`,
    );
}
