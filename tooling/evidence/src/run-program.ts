import { spawn } from 'node:child_process';

/** How a program ended, and how long it took. */
export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
  durationMs: number;
}

/** Where and with what a program runs. */
export interface RunOptions {
  cwd: string;
  env?: Readonly<Record<string, string | undefined>>;
  stdin?: string;
  /** Called once it is started. */
  onStart?: (pid: number) => void;
  /** Called with each piece of stderr as it comes. */
  onStderr?: (text: string) => void;
  /** Kills it, and all that it started, when aborted; with it the program is out of reach of the terminal's Ctrl-C. */
  signal?: AbortSignal;
}

/** Runs a program to its end; a failure to start it is an exit code of 127. */
export function runProgram(argv: readonly [string, ...string[]], options: RunOptions): Promise<Ran> {
  const [file, ...args] = argv;
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const { cwd, env = process.env, signal } = options;
    const child = spawn(file, args, { cwd, env, detached: signal !== undefined });
    if (child.pid !== undefined) options.onStart?.(child.pid);
    const kill = () => killGroup(child.pid);
    if (signal?.aborted) kill();
    signal?.addEventListener('abort', kill);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const end = (exitCode: number) => {
      signal?.removeEventListener('abort', kill);
      const [stdout, stderr] = [out, err].map((chunks) => Buffer.concat(chunks).toString());
      resolve({
        exitCode,
        stdout: stdout ?? '',
        stderr: stderr ?? '',
        durationMs: performance.now() - startedMs,
      });
    };
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      err.push(chunk);
      options.onStderr?.(chunk.toString());
    });
    child.on('error', (error) => {
      err.push(Buffer.from(error.message));
      end(127);
    });
    child.on('close', (exitCode) => end(exitCode ?? 1));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
  });
}

/** A process that leads a group, and the rest of the group. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/**
 * Runs a program that must succeed.
 *
 * @throws Error with its output when it does not
 */
export async function mustRun(argv: readonly [string, ...string[]], options: RunOptions): Promise<Ran> {
  const ran = await runProgram(argv, options);
  if (ran.exitCode !== 0)
    throw new Error(`${argv.join(' ')} ended with ${ran.exitCode}: ${ran.stderr}${ran.stdout}`);
  return ran;
}
