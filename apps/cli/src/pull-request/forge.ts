import { shellText, shellWord } from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import type { Project } from '../project/project.ts';

/** The program that opens a pull request, and how it is called. */
export interface Forge {
  program: 'gh' | 'glab';
  /** What it opens. */
  noun: 'pull request' | 'merge request';
  /** Opens one; the body is in a file, or is given as text where the program takes no file. */
  create(request: Request): [string, ...string[]];
  /** The same as a line for a shell, with the body from the file. */
  typed(request: Request): string;
}

interface Request {
  base: string;
  head: string;
  title: string;
  body: string;
  bodyFile: string;
}

const atGitHub = ({ base, head, title, bodyFile }: Request): [string, ...string[]] => [
  'gh',
  ...['pr', 'create', '--base', base, '--head', head, '--title', title, '--body-file', bodyFile],
];
const atGitLab = ({ base, head, title }: Request): [string, ...string[]] => [
  'glab',
  ...['mr', 'create', '--target-branch', base, '--source-branch', head, '--title', title, '--yes'],
];

const gitHub: Forge = {
  program: 'gh',
  noun: 'pull request',
  create: atGitHub,
  typed: (request) => shellText(atGitHub(request)),
};

const gitLab: Forge = {
  program: 'glab',
  noun: 'merge request',
  create: (request) => [...atGitLab(request), '--description', request.body],
  typed: (request) => `${shellText(atGitLab(request))} --description "$(cat ${shellWord(request.bodyFile)})"`,
};

/** The program for a remote, by the name of its host; GitHub's for one that says nothing. Pure. */
export function forgeOf(url: string): Forge {
  return /gitlab/i.test(url) ? gitLab : gitHub;
}

/** How a command of the user ended. */
export interface UserRun {
  ok: boolean;
  /** It is not installed. */
  isMissing: boolean;
  stdout: string;
  stderr: string;
}

/** Runs a command as the user would, with their settings and logins, and without a question. */
export async function asUser(
  { env }: Pick<Call, 'env'>,
  { exec, root }: Project,
  argv: readonly [string, ...string[]],
): Promise<UserRun> {
  const own = Object.entries(env.all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const quiet = { GIT_TERMINAL_PROMPT: '0', GH_PROMPT_DISABLED: '1', NO_PROMPT: '1', NO_COLOR: '1' };
  const ended = await exec(argv, {
    cwd: root,
    env: { ...Object.fromEntries(own), ...quiet },
    timeoutMs: 300_000,
  });
  const { exitCode, spawnError, stdout, stderr } = ended;
  return { ok: exitCode === 0, isMissing: spawnError === 'ENOENT', stdout, stderr };
}
