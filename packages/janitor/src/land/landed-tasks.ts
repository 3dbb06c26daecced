import type { Git } from '@baton/contracts';
import { fields, gitText } from '../run-git.ts';

const mostCommits = 1_000;
const trailer = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x2C)`;

/**
 * The tasks of a run that commits of a target say they landed, by their trailers `Task-Id` and `Run`: ids of tasks, each with the newest
 * of these commits. Looks at the newest 1,000 commits of the first-parent line.
 * @param options.from the commit from which on it looks, without it; null: from the beginning
 * @throws GIT_FAILED
 */
export async function landedTasks(options: {
  git: Git;
  /** The clone, which has all of it. */
  clone: string;
  /** Slug of the run. */
  run: string;
  from: string | null;
  to: string;
}): Promise<Map<string, string>> {
  const { git, clone, run, from, to } = options;
  const format = `--format=%H%n${trailer('Run')}%n${trailer('Task-Id')}`;
  const range = from === null ? to : `${from}..${to}`;
  const args = ['log', '--first-parent', '-z', `--max-count=${mostCommits}`, format, range, '--'];
  const found = fields(await gitText(git, args, { cwd: clone })).map((record) => record.split('\n'));
  const ours = found.filter(([, of]) => of === run).toReversed();
  return new Map(ours.map(([commit = '', , task = '']) => [task, commit]));
}
