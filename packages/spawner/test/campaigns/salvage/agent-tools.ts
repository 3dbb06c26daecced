import { execFileSync, spawnSync } from 'node:child_process';
import { constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Chance, and content that no other case has. */
export interface Dice {
  pick<T>(from: readonly T[]): T;
  /** Text with a number that is used once. */
  text(): string;
}

/** One thing that an agent may do in its worktree. */
export type Action = (root: string, dice: Dice) => void;

/** A git that waits for longer has met a pipe of its agent's; it holds all that its process plays. */
const longestGitMs = 3_000;

/** Not in the types, but given to the system as for `spawn`: of a git that is killed, those that it started go on. */
const inOwnGroup: object = { detached: true };

/** Ends a group and waits until it is gone: what it still did would come after the inventory. */
function endGroup(pid: number): void {
  try {
    // One that is not reaped stays in its group, and does nothing.
    for (let look = 0; look < 400; look += 1) {
      process.kill(-pid, 'SIGKILL');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Runs git as an agent does. @throws ETIMEDOUT for one that stands at a pipe: what its agent would do next is not done */
export function agentGit(root: string, ...args: string[]): boolean {
  const ran = spawnSync('git', args, {
    cwd: root,
    stdio: 'ignore',
    timeout: longestGitMs,
    ...inOwnGroup,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    },
  });
  if ((ran.error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT') {
    endGroup(ran.pid);
    throw ran.error as Error;
  }
  return ran.status === 0;
}
const { O_APPEND, O_CREAT, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;

/** Writes a file. @throws ENXIO for a pipe: an agent that waits at one of its own is killed at its time limit, not played here */
export function write(file: string | Buffer, content: string | Buffer): void {
  writeFileSync(file, content, { flag: (O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK) as never });
}

/** Like {@link write}, behind what stands there. */
export function append(file: string | Buffer, content: string | Buffer): void {
  writeFileSync(file, content, { flag: (O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK) as never });
}

/**
 * A new folder outside of the worktree, which goes with its pool. Links lead here and never to what is somebody's: what agents do later
 * follows them.
 */
export function beside(root: string, dice: Dice): string {
  const folder = path.resolve(root, '../../..', `beside-${dice.text().replaceAll(/\W/g, '')}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Puts a named pipe in place of whatever stands there. */
export function pipe(file: string): void {
  rmSync(file, { recursive: true, force: true });
  execFileSync('mkfifo', [file]);
}

/** Makes a repository in the tree, with a commit of its own and a file that is in none. */
export function nest(root: string, name: string, dice: Dice): void {
  const folder = path.join(root, name);
  mkdirSync(folder, { recursive: true });
  write(path.join(folder, 'inner.txt'), dice.text());
  agentGit(folder, 'init', '-q');
  agentGit(folder, 'add', '-A');
  agentGit(folder, 'commit', '-qm', 'inner');
  write(path.join(folder, 'later.txt'), dice.text());
}
