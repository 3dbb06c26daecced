import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { mustRun } from '../../run-program.ts';
import { identity } from '../bench-repo.ts';
import { benchGate, type BenchTask } from './plan.ts';
import { cpuOfChildren } from './processes.ts';

/** What the outside programs of so many tasks need by themselves, one after the other: milliseconds in all. */
export interface Floors {
  tasks: number;
  gitMs: number;
  processMs: number;
  gateMs: number;
  /** CPU time of all three; not a number where there is no /proc. */
  cpuMs: number;
}

/**
 * Does by hand what a plan's tasks cannot do without, and nothing else: a worktree on the head, the agent's process, one
 * commit, the merge with the head, the merged tree in a second worktree, the gate there, the ref. Both worktrees exist
 * before the clock runs, as a pool would have it, and stay.
 */
export async function measureFloors(clone: string, tasks: readonly BenchTask[]): Promise<Floors> {
  const place = await mkdtemp(path.join(clone, '..', 'floor-'));
  const [work, check] = [path.join(place, 'work'), path.join(place, 'check')];
  for (const folder of [work, check]) {
    await mustRun(['git', 'worktree', 'add', '--quiet', '--detach', folder, 'HEAD'], { cwd: clone });
  }
  const floors: Floors = { tasks: tasks.length, gitMs: 0, processMs: 0, gateMs: 0, cpuMs: -cpuOfChildren() };
  const git = async (cwd: string, ...args: string[]) => {
    const { stdout, durationMs } = await mustRun(['git', ...identity, ...args], { cwd });
    floors.gitMs += durationMs;
    return stdout.trim();
  };
  let head = (await mustRun(['git', 'rev-parse', 'HEAD'], { cwd: clone })).stdout.trim();
  for (const { key, command } of tasks) {
    await git(work, 'reset', '--quiet', '--hard', head);
    floors.processMs += (await mustRun(command, { cwd: work, stdin: key })).durationMs;
    await git(work, 'add', '--all');
    await git(work, 'commit', '--quiet', `--message=${key}`);
    const done = await git(work, 'rev-parse', 'HEAD');
    const tree = await git(clone, 'merge-tree', '--write-tree', head, done);
    const candidate = await git(clone, 'commit-tree', tree, '-p', head, '-m', key);
    await git(check, 'checkout', '--quiet', '--detach', candidate);
    floors.gateMs += (await mustRun(benchGate.command, { cwd: check })).durationMs;
    await git(clone, 'update-ref', 'refs/heads/floor', candidate);
    head = candidate;
  }
  floors.cpuMs += cpuOfChildren();
  return floors;
}

/** Both halves of a floor together. */
export const addFloors = (a: Floors, b: Floors): Floors => ({
  tasks: a.tasks + b.tasks,
  gitMs: a.gitMs + b.gitMs,
  processMs: a.processMs + b.processMs,
  gateMs: a.gateMs + b.gateMs,
  cpuMs: a.cpuMs + b.cpuMs,
});

/** Milliseconds a task. */
export const floorMs = ({ tasks, gitMs, processMs, gateMs }: Floors): number =>
  (gitMs + processMs + gateMs) / tasks;
