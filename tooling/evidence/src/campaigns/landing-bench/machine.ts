import type { Clock, Exec, Git, Log } from '@baton/contracts';
import { createExec, createGit, createReadingGit } from '@baton/spawner';

/** What a worker starts programs with. */
export interface Machine extends Disposable {
  clock: Clock;
  exec: Exec;
  git: Git;
  env: Record<string, string>;
  log: Log;
}

/** Programs that a process starts by itself before it has a helper do so. */
const warmUp = 24;

/**
 * Makes what a worker starts programs with, and waits until a helper starts them, as after the first moments of a worker.
 * @param stateDir its state folder: objects and refs of clones below it are written without a process for each
 */
export async function openMachine(stateDir?: string): Promise<Machine> {
  const clock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };
  const env = { PATH: process.env['PATH'] ?? '' };
  const exec = createExec({ clock });
  const reading = createReadingGit({
    ...{ git: createGit({ exec, env }), env },
    ...(stateDir === undefined ? {} : { stateDir }),
  });
  const isHelped = async () => {
    const { stdout } = await exec(['sh', '-c', 'echo $PPID'], { cwd: '/', env, timeoutMs: 60_000 });
    return Number(stdout) !== process.pid;
  };
  for (let started = 0; started < warmUp || !(await isHelped()); started += 1) {
    if (started > 1_000) throw new Error('no helper starts the programs of this process');
    if (started < warmUp) await isHelped();
  }
  const quiet = () => undefined;
  return {
    ...{ clock, exec, git: reading.git, env, log: { info: quiet, warn: quiet, error: quiet } },
    [Symbol.dispose]: () => reading.close(),
  };
}
