import path from 'node:path';
import { addFloors, measureFloors, type Floors } from './floors.ts';
import { playPass, type Pass } from './pass.ts';
import { measurePeer, type Peer } from './peer.ts';
import { benchTasks } from './plan.ts';
import type { Scene } from './scene.ts';
import type { Size } from './sizes.ts';

/** What was measured of a configuration, one after the other. */
export interface Cell {
  size: Size;
  floors: Floors;
  /** The run that is timed, the one in which is counted, and one of a single task; null: not asked for. */
  baton: { timed: Pass; counted: Pass; single: Pass } | null;
  peer: Peer | null;
}

/** Plays a plan of one task on so many files, with everything counted: what a run needs once. */
export function singlePass(scene: Scene, { files }: { files: number }): Promise<Pass> {
  scene.say(`${files} files: a run of one task`);
  return playPass(scene, { files, tasks: 1, agents: 1, counts: true });
}

/** Measures half of the floor, Baton, and the other half of the floor. */
export async function measureCell(scene: Scene, size: Size, single: Pass | null): Promise<Cell> {
  const name = nameOf(size);
  const { files } = size;
  const clone = path.join(scene.folder(), 'floor.git');
  await scene.copyRepo(clone, { files, isBare: true });
  const tasks = benchTasks(size.floorTasks);
  const half = Math.ceil(tasks.length / 2);
  scene.say(`${name}: first half of the floor`);
  const before = await measureFloors(clone, tasks.slice(0, half));
  const baton = single === null ? null : await measureBaton(scene, size, { name, single });
  scene.say(`${name}: second half of the floor`);
  const after = await measureFloors(clone, tasks.slice(half));
  return { size, floors: addFloors(before, after), baton, peer: null };
}

/** Adds the peer. Its way removes worktrees, which must slow down nothing else: everything of Baton's is measured before. */
export async function addPeer(scene: Scene, cell: Cell): Promise<Cell> {
  const { agents, files, peerTasks } = cell.size;
  scene.say(`${nameOf(cell.size)}: the peer's way, ${peerTasks} tasks`);
  const clone = path.join(scene.folder(), 'peer.git');
  await scene.copyRepo(clone, { files, isBare: true });
  return { ...cell, peer: await measurePeer(clone, { tasks: benchTasks(peerTasks), agents }) };
}

const nameOf = ({ agents, files }: Size): string => `${agents} agents, ${files} files`;

async function measureBaton(
  scene: Scene,
  { agents, files, tasks, countsInTime }: Size,
  { name, single }: { name: string; single: Pass },
): Promise<Cell['baton']> {
  scene.say(`${name}: baton run, ${tasks} tasks`);
  const timed = await playPass(scene, { agents, files, tasks, counts: countsInTime });
  if (countsInTime) return { timed, counted: timed, single };
  scene.say(`${name}: baton run again, counted`);
  return { timed, counted: await playPass(scene, { agents, files, tasks, counts: true }), single };
}
