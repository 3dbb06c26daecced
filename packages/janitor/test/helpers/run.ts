import { performance } from 'node:perf_hooks';
import type { Clock, Git } from '@baton/contracts';
import { runProgram as exec } from '@baton/testkit';

export { exec };

/** The real time. */
export const clock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };

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

/** Git hardened as the port promises: no hooks, no fsmonitor, no replaced objects. */
export const git: Git = (args, options) =>
  exec(['git', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...args], {
    cwd: options.cwd,
    env: { ...gitEnvironment, GIT_NO_REPLACE_OBJECTS: '1', ...options.env },
    timeoutMs: options.timeoutMs ?? 30_000,
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
