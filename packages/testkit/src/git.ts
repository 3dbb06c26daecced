import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Neither the settings of the person nor of the machine reach a test's git. */
const environment = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};

/** Runs git in a folder and returns what it printed, without the last line break. @throws Error with git's own words */
export async function runGit(cwd: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run('git', args, { cwd, env: environment, maxBuffer: 64 * 1024 * 1024 });
    return stdout.replace(/\n$/, '');
  } catch (error) {
    const said = (error as { stderr?: string }).stderr ?? '';
    throw new Error(`git ${args.join(' ')} failed: ${said.trim()}`, { cause: error });
  }
}
