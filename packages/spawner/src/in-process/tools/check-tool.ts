import type { Exec } from '@baton/contracts';
import { BatonError } from '@baton/contracts';
import { z } from 'zod';
import { defineTool, type CognitiveTool } from './tool.ts';

const outputBytes = 24 * 1024;

/** What {@link checkTool} needs. */
export interface CheckToolOptions {
  root: string;
  /** Argument arrays by name: the model chooses a name and nothing else. */
  checks: Readonly<Record<string, readonly string[]>>;
  exec: Exec;
  /** Complete environment of the programs. */
  env: Readonly<Record<string, string>>;
  /** A check that runs longer is ended. */
  timeoutMs: number;
}

/** The tool that runs one of the declared programs; none when nothing is declared. */
export function checkTool(options: CheckToolOptions): CognitiveTool[] {
  const names = Object.keys(options.checks);
  if (names.length === 0) return [];
  return [
    defineTool({
      name: 'run_check',
      description: `Runs one of the checks of this repository and returns its exit code and output: ${names.join(', ')}.`,
      kind: 'execute',
      input: z.object({ name: z.enum(names as [string, ...string[]]) }),
      describe: ({ name }) => ({
        title: `Run ${name}: ${(options.checks[name] ?? []).join(' ')}`,
        paths: [],
      }),
      run: ({ name }, signal) => runCheck(name, options, signal),
    }),
  ];
}

async function runCheck(
  name: string,
  { root, checks, exec, env, timeoutMs }: CheckToolOptions,
  signal: AbortSignal,
): Promise<string> {
  const [program = '', ...args] = checks[name] ?? [];
  const ended = await exec([program, ...args], {
    cwd: root,
    env,
    timeoutMs,
    maxOutputBytes: outputBytes,
    signal,
  });
  const output = `${ended.stdout}${ended.stderr}`.trim();
  if (ended.exitCode === 0) return `Exit code 0.\n${output}`;
  const how = ended.timedOut
    ? `was ended after ${Math.round(timeoutMs / 1000)} s`
    : ended.aborted
      ? 'was stopped'
      : ended.spawnError !== undefined
        ? `could not be started (${ended.spawnError})`
        : `ended with ${ended.signal ?? `exit code ${String(ended.exitCode)}`}`;
  throw new BatonError('INVALID_INPUT', `The check ${name} ${how}.\n${output}`, {
    fix: 'Put right what it says.',
  });
}
