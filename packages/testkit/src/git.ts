import { runProgram } from './run-program.ts';

/** Neither the settings of the person nor of the machine reach a test's git. */
const environment = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};
/** Longer than any test waits. */
const timeoutMs = 600_000;

/** Runs git in a folder and returns what it printed, without the last line break. @throws Error with git's own words */
export async function runGit(cwd: string, args: readonly string[]): Promise<string> {
  const ended = await runProgram(['git', ...args], { cwd, env: environment, timeoutMs });
  if (ended.exitCode === 0) return ended.stdout.replace(/\n$/, '');
  throw new Error(`git ${args.join(' ')} failed: ${ended.stderr.trim() || (ended.spawnError ?? '')}`);
}
