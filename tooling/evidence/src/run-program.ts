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
  /** Called with each piece of stderr as it comes. */
  onStderr?: (text: string) => void;
}

/** Runs a program to its end; a failure to start it is an exit code of 127. */
export function runProgram(argv: readonly [string, ...string[]], options: RunOptions): Promise<Ran> {
  const [file, ...args] = argv;
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: options.cwd, env: options.env ?? process.env });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const end = (exitCode: number) => {
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
