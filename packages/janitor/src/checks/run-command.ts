import { commandText, type CoverageReport, type ExecResult } from '@baton/contracts';
import { redact, tail } from '../redact.ts';
import type { CheckContext, Finding } from './check-context.ts';
import { readCoverage, shareText } from './coverage.ts';
import { judgeRun, type MayWrite } from './judge-run.ts';
import { readTestCount } from './test-count.ts';

/** Bytes of output that a finding keeps. */
const keptBytes = 8_192;
/** Bytes of each stream that the port keeps; enough to find the end of what went wrong. */
const maxOutputBytes = 262_144;

/**
 * Runs one command on the tree. Only exit code 0 in time, with every tracked file as before, is a yes: an error, a time-out, a
 * signal or a missing program is a no (everything fails closed: docs/spec/landing.md).
 */
export async function runCommand(
  context: CheckContext,
  command: {
    argv: readonly string[];
    timeoutMs: number;
    mayWrite?: MayWrite;
    coverage?: CoverageReport | undefined;
  },
): Promise<Finding> {
  const [file, ...args] = command.argv;
  if (file === undefined) return { passed: false, reason: 'has no command' };
  if (context.place === null) return { passed: false, reason: 'has no worktree to run in' };
  const mayWrite = command.mayWrite ?? 'never';
  const result = await context.place.run([file, ...args], {
    env: context.env,
    timeoutMs: command.timeoutMs,
    maxOutputBytes,
    keepTree: mayWrite === 'now',
    ...(command.coverage === undefined ? {} : { keepFile: command.coverage.file }),
    ...(context.signal === undefined ? {} : { signal: context.signal }),
  });
  const output = tail(redact(`${result.stdout}${result.stderr}`, context), { maxBytes: keptBytes });
  const shown = redact(commandText(command.argv), context).slice(0, 200);
  const ended = `"${shown}" ${howItEnded(result, { file, timeoutMs: command.timeoutMs })}`;
  const canKeep = mayWrite === 'now' && (result.tree !== null || result.changed.length === 0);
  const { passed, reason, wrote } = judgeRun(result, {
    ended,
    mayWrite: canKeep ? 'now' : settled(mayWrite),
  });
  const found =
    passed && command.coverage !== undefined ? readCoverage(result.kept ?? null, command.coverage) : null;
  if (found !== null && 'why' in found)
    return { passed: false, reason: `${reason}, but ${found.why}`, output };
  // Of output that was cut, some of the counts may be missing.
  const tests = passed && !result.truncated ? readTestCount(`${result.stdout}\n${result.stderr}`) : null;
  return {
    passed,
    reason: found === null ? reason : `${reason}; covers ${shareText(found)}`,
    ...(found === null ? {} : { coverage: found }),
    ...(output === '' ? {} : { output }),
    ...(tests === null ? {} : { tests }),
    ...(wrote && result.tree !== null ? { wrote: result.tree } : {}),
  };
}

/** A place that keeps no changes has none to judge. */
function settled(mayWrite: MayWrite): MayWrite {
  return mayWrite === 'now' ? 'never' : mayWrite;
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
