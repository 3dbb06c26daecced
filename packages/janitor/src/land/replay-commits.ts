import { printable, printableLine } from '@baton/contracts';
import { redact } from '../redact.ts';
import type { EarlierCommit, KeepOptions, KeptCommits, KeptText } from './kept-commits.ts';
import { tryMerge } from './try-merge.ts';
import type { OwnCommit } from './own-commits.ts';

/** Trailers that Baton reads or writes; an agent's own would be taken for them. */
const reserved = /^(?:Task-Id|Attempt|Run|Baton-Task|Agent|Model|Commits)\s*:/i;
const rawDate = /^\d{1,12} [+-]\d{4}$/;

/**
 * Commits of one line made again on a target one by one, as a rebase makes them: each change is merged alone, a commit that began empty
 * stays, and one whose change is there already is left out. @throws GIT_FAILED
 */
export async function replayCommits(
  options: Pick<
    KeepOptions,
    'git' | 'clone' | 'startCommit' | 'startTree' | 'targetTree' | 'tree' | 'taskId'
  >,
  commits: readonly OwnCommit[],
): Promise<Pick<KeptCommits, 'earlier' | 'last'> | { why: string }> {
  const made: (EarlierCommit & { isOurs: boolean })[] = [];
  let [previous, before, tree] = [options.startCommit, options.startTree, options.targetTree];
  for (const commit of commits) {
    const name = `commit ${commit.id.slice(0, 9)}`;
    if (commit.parents.length !== 1 || commit.parents[0] !== previous)
      return { why: `its commits are not one line: ${name} has other parents` };
    const text = textOf(commit);
    if (text === null) return { why: `${name} has no author or date that git takes` };
    const sides = { startCommit: previous, onto: tree, tree: commit.tree };
    const merged = before === tree ? { tree: commit.tree } : await tryMerge(options, sides);
    if ('files' in merged) return { why: `${name} conflicts with the target by itself` };
    if (merged.tree !== tree || commit.tree === before)
      made.push({ tree: merged.tree, ...text, isOurs: isOurs(commit, options.taskId) });
    [previous, before, tree] = [commit.id, commit.tree, merged.tree];
  }
  const last = made.pop();
  if (last === undefined || tree !== options.tree) return { why: 'its commits one by one give another tree' };
  const { message, by } = last;
  return {
    earlier: made.map(({ isOurs: _, ...each }) => each),
    last: last.isOurs ? null : { message, by },
  };
}

/** What an agent left uncommitted, in a commit that Baton made of it. */
function isOurs({ message }: OwnCommit, taskId: string | undefined): boolean {
  return taskId !== undefined && message.split('\n').includes(`Task-Id: ${taskId}`);
}

/** Text and author as they may be shown, without keys and without trailers of Baton's own. Null: git would refuse them. */
function textOf({ name, email, date, message }: OwnCommit): KeptText | null {
  const clean = (text: string): string => redact(printable(text), { env: {} });
  const by = { name: printableLine(clean(name)), email: printableLine(clean(email)), date };
  if (!/[^\s.,:;<>"\\']/.test(by.name) || !rawDate.test(date)) return null;
  const paragraphs = clean(message)
    .trim()
    .split(/\n{2,}/);
  const [subject = '', ...others] = paragraphs.map((paragraph) =>
    paragraph
      .split('\n')
      .filter((line) => !reserved.test(line))
      .join('\n'),
  );
  const text = [subject === '' ? 'Work of an agent' : subject, ...others.filter((each) => each !== '')];
  return { message: `${text.join('\n\n')}\n`, by };
}
