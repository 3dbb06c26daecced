import { commitStyleOf, printable, printableLine, splitIdentity, type Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import { z } from 'zod';
import type { WorkerContext } from '../context/context.ts';

/** A commit that lands, before and after it was verified. */
export interface CommitText {
  message: string;
  trailers: Record<string, string>;
  /** Null: Baton's own. */
  author: { name: string; email: string } | null;
}

const longestSubject = 72;
const goalLines = 30;
const goalCharacters = 2_000;
const conventional =
  /^(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(?:\([\w./@-]{1,30}\))?!?: \S/;
/** What git would read as a trailer, or as the end of a message, where it to stand last. */
const looksLikeTrailer = /^(?:[\w-]+\s*:|\(cherry picked from|---|diff -|Index: )/i;
const route = z.object({ agent: z.string(), model: z.string().nullable() });

/**
 * The text of a commit that lands. Nothing in it that came from outside can forge a trailer or an author: the subject is one
 * line, and lines of the goal that look like trailers are indented.
 * @param options.subjects subjects of the agent's own commits, oldest first: a conventional one is kept
 * @param options.verdict what it passed; null before that is known
 */
export function commitText(
  { task, attempt, run }: Pick<LandingWork, 'task' | 'attempt' | 'run'>,
  { subjects, verdict }: { subjects: readonly string[]; verdict: Verdict | null },
): CommitText {
  const style = commitStyleOf(run.plan);
  const title = printableLine(task.title);
  const own = subjects.map(printableLine).findLast((subject) => isConventional(subject));
  const subject = own ?? cutSubject(title);
  const body = [
    subject === title ? '' : title,
    printableLine(task.goal) === title ? '' : goalText(task.goal),
    verdict === null ? '' : verifiedBy(verdict),
  ].filter((part) => part !== '');
  const by = route.safeParse(attempt.route).data ?? null;
  const told = style.trailers !== false;
  const coAuthor = style.co_author === 'none' ? undefined : style.co_author;
  return {
    message: [subject, ...body].join('\n\n'),
    trailers: {
      ...(told ? { 'Baton-Task': `${run.slug}/${task.key}` } : {}),
      ...(told && by !== null ? { Agent: by.agent } : {}),
      ...(told && by !== null && by.model !== null ? { Model: by.model } : {}),
      'Task-Id': task.id,
      Attempt: String(attempt.number),
      Run: run.slug,
      ...(coAuthor === undefined ? {} : { 'Co-authored-by': coAuthor }),
    },
    author: style.author === undefined ? null : splitIdentity(style.author),
  };
}

const isConventional = (subject: string): boolean =>
  conventional.test(subject) && [...subject].length <= longestSubject;

/** The title, cut between two words where it is too long for a subject. */
function cutSubject(title: string): string {
  const characters = [...title];
  if (characters.length === 0) return 'Work of an agent';
  if (characters.length <= longestSubject) return title;
  const cut = characters.slice(0, longestSubject - 1).join('');
  const words = cut.replace(/\s+\S*$/, '');
  return `${words.length > longestSubject / 2 ? words : cut}…`;
}

function goalText(goal: string): string {
  const lines = printable(goal.trim()).slice(0, goalCharacters).split('\n');
  const shown = lines.slice(0, goalLines).map((line) => (looksLikeTrailer.test(line) ? `  ${line}` : line));
  return [...shown, ...(lines.length > goalLines ? ['…'] : [])].join('\n').trimEnd();
}

/** `Gates passed: lint, tests.` and how many signals hold; nothing where neither applied. */
function verifiedBy({ results }: Verdict): string {
  const names = (wanted: (result: Verdict['results'][number]) => boolean) =>
    results.filter(wanted).map(({ name }) => printableLine(name));
  const passed = names(({ kind, passed: yes }) => kind === 'gate' && yes);
  const red = names(({ kind, passed: yes }) => kind === 'gate' && !yes);
  const signals = names(({ kind, passed: yes }) => kind === 'signal' && yes).length;
  return [
    ...(passed.length === 0 ? [] : [`Gates passed: ${passed.join(', ')}.`]),
    ...(red.length === 0 ? [] : [`Gates red, as allowed: ${red.join(', ')}.`]),
    ...(signals === 0 ? [] : [`Signals that hold: ${signals}.`]),
  ].join(' ');
}

const mostCommits = 50;

/** Subjects of the commits that the agent made for an attempt, oldest first. Empty where they cannot be read. */
export async function agentSubjects(
  ctx: Pick<WorkerContext, 'git'>,
  { clone, attempt }: { clone: string; attempt: Pick<LandingWork['attempt'], 'startCommit' | 'headCommit'> },
): Promise<string[]> {
  const { startCommit, headCommit } = attempt;
  if (startCommit === null || headCommit === null || startCommit === headCommit) return [];
  const args = [
    'log',
    '--reverse',
    `--max-count=${mostCommits}`,
    '--format=%s',
    `${startCommit}..${headCommit}`,
  ];
  const { exitCode, stdout } = await ctx.git(args, { cwd: clone });
  return exitCode === 0 ? stdout.split('\n').filter((subject) => subject !== '') : [];
}
