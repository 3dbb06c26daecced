import type { ExecResult, Git, GitOptions } from '@baton/contracts';
import { hardenedGit } from './git.ts';
import { startReader, type GitObject, type GitReader } from './object-reader.ts';

/** A git whose plain look-ups cost no process each. */
export interface ReadingGit {
  git: Git;
  /** Ends the readers; the next look-up would start them again. */
  close(): void;
}

/** What a git command asks, when a reader can answer it: which objects the lines name, and how git would have put it. */
interface Question {
  lines: readonly string[];
  followsLinks: boolean;
  print: (objects: readonly GitObject[]) => string;
}

const name = String.raw`(?:HEAD|refs/[\w./@-]+|[0-9a-f]{40,64})`;
const revision = new RegExp(String.raw`^${name}(?:\^\{(?:commit|tree)\})?$`);
const pathInTree = /^[0-9a-f]{40,64}:[^\n\0]+$/;

/**
 * Answers `rev-parse` of full ids and refs, `cat-file -e` and `cat-file --batch-check` from one long-lived `cat-file` for each
 * repository; everything else, and whatever a reader does not find, goes to `git`, so the answers are the same. Nothing is
 * remembered here: a reader looks at the repository for each question.
 */
export function createReadingGit(options: {
  git: Git;
  /** The operator's environment; only what git needs of it is passed on. */
  env: Readonly<Record<string, string | undefined>>;
}): ReadingGit {
  const { prefix, env } = hardenedGit(options.env);
  const readers = new Map<string, GitReader>();
  const readerOf = (cwd: string, { followsLinks }: Question): GitReader => {
    const key = `${followsLinks}:${cwd}`;
    const known = readers.get(key);
    if (known && !known.ended) return known;
    for (const [other, reader] of readers) if (reader.ended) readers.delete(other);
    const flags = followsLinks ? ['--follow-symlinks'] : [];
    const reader = startReader(['git', ...prefix, 'cat-file', '--batch-check', ...flags], { cwd, env });
    readers.set(key, reader);
    return reader;
  };
  return {
    async git(args, given) {
      const question = questionOf(args, given);
      if (question === null || given.signal?.aborted) return options.git(args, given);
      const reader = readerOf(given.cwd, question);
      const objects = await Promise.all(question.lines.map((line) => reader.ask(line)));
      const known = objects.filter((object) => object !== null);
      return known.length === objects.length ? answer(question.print(known)) : options.git(args, given);
    },
    close() {
      for (const reader of readers.values()) reader.end();
      readers.clear();
    },
  };
}

function questionOf(args: readonly string[], given: GitOptions): Question | null {
  if (given.env !== undefined) return null;
  const [command, ...rest] = args;
  if (command === 'rev-parse') return askedIds(rest);
  if (command !== 'cat-file') return null;
  const [flag = '', ...more] = rest;
  const [only = ''] = more;
  if (flag === '-e' && more.length === 1 && (revision.test(only) || pathInTree.test(only)))
    return { lines: [only], followsLinks: false, print: () => '' };
  if (flag !== '--batch-check' || more.some((option) => option !== '--follow-symlinks')) return null;
  if (given.stdin === undefined || !given.stdin.endsWith('\n')) return null;
  return {
    lines: given.stdin.slice(0, -1).split('\n'),
    followsLinks: more.length > 0,
    print: (objects) => objects.map(({ id, type, size }) => `${id} ${type} ${size}\n`).join(''),
  };
}

function askedIds(rest: readonly string[]): Question | null {
  const flags = ['--verify', '--quiet', '--end-of-options'];
  const lines = rest.filter((arg) => !flags.includes(arg));
  const isPlain = lines.length > 0 && lines.every((line) => revision.test(line));
  if (!isPlain || (lines.length > 1 && rest.includes('--verify'))) return null;
  return {
    lines,
    followsLinks: false,
    print: (objects) => objects.map(({ id }) => `${id}\n`).join(''),
  };
}

function answer(stdout: string): ExecResult {
  return {
    exitCode: 0,
    signal: null,
    stdout,
    stderr: '',
    timedOut: false,
    aborted: false,
    truncated: false,
    durationMs: 0,
  };
}
