import { createExec, createGit } from '../../src/index.ts';
import type { Clock, Log } from '@baton/contracts';

/** The real clock: these tests watch real processes. */
export const clock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() };
export const exec = createExec({ clock });
export const git = createGit({ exec, env: process.env });
export const quietLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
export const env = { PATH: process.env['PATH'] ?? '' };

/** Runs a Node program given as text. */
export function node(program: string, ...args: string[]): [string, ...string[]] {
  return [process.execPath, '-e', program, ...args];
}
