import type { Exec } from '@baton/contracts';

/** In whose name programs are run, and where. */
export interface UserPlace {
  exec: Exec;
  /** The user's environment, with their settings and logins. */
  env: Readonly<Record<string, string | undefined>>;
  /** The user's repository. */
  root: string;
}

/** How a command of the user ended. */
export interface UserRun {
  ok: boolean;
  exitCode: number | null;
  /** It is not installed. */
  isMissing: boolean;
  stdout: string;
  stderr: string;
}

const quiet = {
  GIT_TERMINAL_PROMPT: '0',
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  NO_PROMPT: '1',
  NO_COLOR: '1',
};

/** Runs a command as the user would, with their settings and logins, and without a question. */
export async function asUser(
  { exec, env, root }: UserPlace,
  argv: readonly [string, ...string[]],
): Promise<UserRun> {
  const own = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const ended = await exec(argv, {
    cwd: root,
    env: { ...Object.fromEntries(own), ...quiet },
    timeoutMs: 300_000,
  });
  const { exitCode, spawnError, stdout, truncated } = ended;
  const stderr = ended.timedOut ? `${ended.stderr}\nIt gave no answer in 5 minutes.` : ended.stderr;
  return { ok: exitCode === 0 && !truncated, exitCode, isMissing: spawnError === 'ENOENT', stdout, stderr };
}
