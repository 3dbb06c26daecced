import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import type { Clock, Exec, ExecResult, Git } from '@baton/contracts';

/** The real time. */
export const clock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };

/** Runs a real program in a process group of its own; the spawner's version is the real thing. */
export const exec: Exec = ([file, ...args], options) =>
  new Promise<ExecResult>((done) => {
    const started = performance.now();
    const out = { stdout: '', stderr: '', timedOut: false, aborted: false };
    const child = spawn(file, args, { cwd: options.cwd, env: options.env, detached: true, stdio: 'pipe' });
    const end = (rest: Partial<ExecResult>): void => {
      clearTimeout(timer);
      done({
        exitCode: null,
        signal: null,
        truncated: false,
        durationMs: performance.now() - started,
        ...out,
        ...rest,
      });
    };
    const kill = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    };
    const timer = setTimeout(() => {
      out.timedOut = true;
      kill();
    }, options.timeoutMs);
    options.signal?.addEventListener('abort', () => {
      out.aborted = true;
      kill();
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (out.stderr += text));
    child.on('error', (error: NodeJS.ErrnoException) => end({ spawnError: error.code ?? error.message }));
    child.on('close', (exitCode, signal) => end({ exitCode, signal }));
    child.stdin.on('error', () => undefined).end(options.stdin ?? '');
  });

/** Variables of every git call here: an identity, no configuration of this machine. */
export const gitEnvironment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Baton',
  GIT_AUTHOR_EMAIL: 'baton@localhost',
  GIT_COMMITTER_NAME: 'Baton',
  GIT_COMMITTER_EMAIL: 'baton@localhost',
};

/** Git hardened as the port promises: no hooks, no fsmonitor. */
export const git: Git = (args, options) =>
  exec(['git', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...args], {
    cwd: options.cwd,
    env: { ...gitEnvironment, ...options.env },
    timeoutMs: options.timeoutMs ?? 30_000,
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
