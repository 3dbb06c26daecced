import { createExec } from '@baton/spawner';
import { systemClock } from '../../../../../packages/service/src/system.ts';
import type { Entry, Tree } from './tree.ts';

const exec = createExec({ clock: systemClock });

/** Name of the person in commits and in the logs of refs: Baton's git has another. */
export const personName = 'Ada';

/** Git as a person has it: nothing of Baton's, and no settings of the machine. */
const env = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: personName,
  GIT_AUTHOR_EMAIL: 'ada@example.invalid',
  GIT_COMMITTER_NAME: personName,
  GIT_COMMITTER_EMAIL: 'ada@example.invalid',
};

interface PlainOptions {
  stdin?: string;
  env?: Readonly<Record<string, string>>;
}

/** Runs any program to its end, in a folder. */
export async function run(
  argv: readonly [string, ...string[]],
  { cwd, stdin, env: more = {} }: PlainOptions & { cwd: string },
) {
  return exec(argv, {
    cwd,
    env: { ...env, ...more },
    timeoutMs: 60_000,
    maxOutputBytes: 64 * 1024 * 1024,
    ...(stdin === undefined ? {} : { stdin }),
  });
}

/** Whether a git command succeeds, and what it says. */
export const tryGit = (cwd: string, args: readonly string[], options: PlainOptions = {}) =>
  run(['git', ...args], { cwd, ...options });

/** Runs git and returns what it printed, without the last line break. @throws Error with git's own words */
export async function git(cwd: string, args: readonly string[], options: PlainOptions = {}): Promise<string> {
  const ended = await tryGit(cwd, args, options);
  if (ended.exitCode === 0) return ended.stdout.replace(/\n$/, '');
  throw new Error(
    `git ${args.join(' ')} ended with ${ended.exitCode ?? ended.signal ?? 'nothing'} in ${cwd}: ${ended.stderr.trim()}`,
  );
}

/** What git printed, as lines without empty ones. */
export const gitLines = async (cwd: string, args: readonly string[]): Promise<string[]> =>
  (await git(cwd, args)).split('\n').filter((line) => line !== '');

/** A commit to be made. */
export interface NewCommit {
  /** Ref that it becomes. */
  ref: string;
  /** Commit ids, or places of earlier ones in the same list. */
  parents: readonly (string | number)[];
  /** All of its files. */
  tree: Tree;
  message: string;
}

/** Makes commits in a repository by one `git fast-import`, and gives their ids. A ref only moves forward. */
export async function makeCommits(repo: string, commits: readonly NewCommit[]): Promise<string[]> {
  const name = (parent: string | number): string => (typeof parent === 'number' ? `:${parent + 1}` : parent);
  const lines = commits.flatMap(({ ref, parents: [first, ...others], tree, message }, at) => [
    ...(first === undefined ? [] : [`reset ${ref}`, `from ${name(first)}`, '']),
    `commit ${ref}`,
    `mark :${at + 1}`,
    `committer Ada <ada@example.invalid> ${1_700_000_000 + at} +0000`,
    dataOf(message),
    ...(first === undefined ? [] : [`from ${name(first)}`]),
    ...others.map((parent) => `merge ${name(parent)}`),
    'deleteall',
    ...[...tree].flatMap(([path, { mode, text }]) => [`M ${mode} inline ${quoted(path)}`, dataOf(text)]),
    '',
  ]);
  const ids = commits.map((_, at) => `get-mark :${at + 1}`);
  const stdin = `${[...lines, ...ids, 'done'].join('\n')}\n`;
  const printed = await git(repo, ['fast-import', '--quiet', '--done'], { stdin });
  return printed.split('\n');
}

const dataOf = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;
const quoted = (path: string): string =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

/** The files of a commit. */
export async function readTree(repo: string, commit: string): Promise<Tree> {
  const listed = (await git(repo, ['ls-tree', '-r', '-z', commit])).split('\0').filter((line) => line !== '');
  const entries = listed.map((line) => {
    const [, mode = '', id = '', path = ''] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? [];
    return { mode: mode as Entry['mode'], id, path };
  });
  const stdin = entries.map(({ id }) => `${id}\n`).join('');
  let rest = Buffer.from((await tryGit(repo, ['cat-file', '--batch'], { stdin })).stdout);
  const tree = new Map<string, Entry>();
  for (const { mode, path } of entries) {
    const end = rest.indexOf('\n');
    const size = Number(rest.subarray(0, end).toString().split(' ')[2]);
    tree.set(path, { mode, text: rest.subarray(end + 1, end + 1 + size).toString() });
    rest = rest.subarray(end + size + 2);
  }
  return tree;
}
