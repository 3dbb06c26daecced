import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { mustRun } from '../../run-program.ts';
import { identity } from '../bench-repo.ts';
import type { BenchTask } from './plan.ts';
import { cpuOfChildren } from './processes.ts';

/** What the peer's way needed for so many tasks in all. */
export interface Peer {
  tasks: number;
  wallMs: number;
  /** Not a number where there is no /proc. */
  cpuMs: number;
}

/**
 * Does the same tasks as most orchestrators do: a new worktree and branch for each task, the agent's process, a commit, `git merge --no-ff`
 * into the worktree of the target, one at a time, and the worktree is removed. So many agents are at work at once. Nothing is verified,
 * and nothing is written down.
 *
 * @throws Error when a merge fails, or the target lacks a file in the end
 */
export async function measurePeer(
  clone: string,
  { tasks, agents }: { tasks: readonly BenchTask[]; agents: number },
): Promise<Peer> {
  const place = path.join(clone, '..', 'peer');
  mkdirSync(place);
  const target = path.join(place, 'target');
  const git = (cwd: string, ...args: string[]) => mustRun(['git', ...identity, ...args], { cwd });
  await git(clone, 'worktree', 'add', '--quiet', '-b', 'peer', target, 'HEAD');
  let merging: Promise<unknown> = Promise.resolve();
  const merge = (key: string): Promise<unknown> =>
    (merging = merging.then(() => git(target, 'merge', '--quiet', '--no-ff', '-m', key, `peer-${key}`)));
  // Git reads the folders of other worktrees while it makes or removes one, and fails where another one goes just then.
  let moving: Promise<unknown> = Promise.resolve();
  const worktree = (...args: string[]): Promise<unknown> =>
    (moving = moving.then(() => git(clone, 'worktree', ...args)));
  const open = [...tasks];
  const work = async (): Promise<void> => {
    for (let task = open.shift(); task !== undefined; task = open.shift()) {
      const { key, command } = task;
      const tree = path.join(place, key);
      await worktree('add', '--quiet', '-b', `peer-${key}`, tree, 'peer');
      await mustRun(command, { cwd: tree, stdin: key });
      await git(tree, 'add', '--all');
      await git(tree, 'commit', '--quiet', `--message=${key}`);
      await merge(key);
      await worktree('remove', '--force', tree);
    }
  };
  const [startedMs, before] = [performance.now(), cpuOfChildren()];
  await Promise.all(Array.from({ length: agents }, work));
  const peer = {
    tasks: tasks.length,
    wallMs: performance.now() - startedMs,
    cpuMs: cpuOfChildren() - before,
  };
  const { stdout } = await git(clone, 'ls-tree', '--name-only', 'peer', 'out/');
  const landed = stdout.split('\n').filter((name) => name.endsWith('.txt')).length;
  if (landed !== tasks.length) throw new Error(`${landed} of ${tasks.length} tasks of the peer landed`);
  await git(clone, 'worktree', 'remove', '--force', target);
  return peer;
}
