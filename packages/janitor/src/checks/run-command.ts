import type { ExecResult } from '@baton/contracts';
import { redact, tail } from '../redact.ts';
import type { CheckContext, Finding } from './check-context.ts';

/** Bytes of output that a finding keeps. */
const keptBytes = 8_192;
/** Bytes of each stream that the port keeps; enough to find the end of what went wrong. */
const maxOutputBytes = 262_144;

/**
 * Runs one command on the tree. Only exit code 0 in time is a yes: an error, a time-out, a signal or a missing program is a no
 * (landing.md: everything fails closed).
 */
export async function runCommand(
  context: CheckContext,
  command: { argv: readonly string[]; timeoutMs: number },
): Promise<Finding> {
  const [file, ...args] = command.argv;
  if (file === undefined) return { passed: false, reason: 'has no command' };
  if (context.worktree === null) return { passed: false, reason: 'has no worktree to run in' };
  const result = await context.exec([file, ...args], {
    cwd: context.worktree,
    env: context.env,
    timeoutMs: command.timeoutMs,
    maxOutputBytes,
    ...(context.signal === undefined ? {} : { signal: context.signal }),
  });
  const output = tail(redact(`${result.stdout}${result.stderr}`, context), { maxBytes: keptBytes });
  const shown = redact(command.argv.join(' '), context).slice(0, 200);
  const passed =
    result.exitCode === 0 && !result.timedOut && !result.aborted && result.spawnError === undefined;
  return {
    passed,
    reason: `"${shown}" ${howItEnded(result, { file, timeoutMs: command.timeoutMs })}`,
    ...(output === '' ? {} : { output }),
  };
}

function howItEnded(result: ExecResult, command: { file: string; timeoutMs: number }): string {
  if (result.spawnError === 'ENOENT')
    return `cannot be run: ${command.file} was not found; install it, or set it up in the workspace`;
  if (result.spawnError !== undefined) return `cannot be run: ${result.spawnError}`;
  if (result.timedOut) return `was ended after ${command.timeoutMs / 1000} s, its time limit`;
  if (result.aborted) return 'was stopped';
  if (result.exitCode === null) return `was ended by ${result.signal ?? 'an unknown signal'}`;
  return `ended with exit code ${result.exitCode}`;
}
