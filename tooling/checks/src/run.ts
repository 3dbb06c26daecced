import { spawn } from 'node:child_process';
import { root } from '@baton/docs';

/** How a program ended. */
export interface Ended {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a program from the root folder to its end. */
export function run(argv: readonly [string, ...string[]], options: { cwd?: string } = {}): Promise<Ended> {
  const [file, ...args] = argv;
  return new Promise((resolve, reject) => {
    const env = {
      ...process.env,
      CHECKPOINT_DISABLE: '1',
      DO_NOT_TRACK: '1',
      TURBO_TELEMETRY_DISABLED: '1',
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      npm_config_update_notifier: 'false',
    };
    const child = spawn(file, args, { cwd: options.cwd ?? root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (exitCode) => {
      resolve({
        exitCode: exitCode ?? 1,
        stdout: Buffer.concat(out).toString(),
        stderr: Buffer.concat(err).toString(),
      });
    });
  });
}

/** Runs the pinned pnpm, whatever is installed. */
export function pnpm(...args: string[]): Promise<Ended> {
  return run(['npx', '--yes', 'pnpm@12.21.0', ...args]);
}

/** Output of a failed program as problems, without empty lines. */
export function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
