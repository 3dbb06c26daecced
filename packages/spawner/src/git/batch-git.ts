import path from 'node:path';
import type { ExecResult, Git, GitOptions } from '@baton/contracts';
import { readBringing, unpack, type Bringing } from './bring-commit.ts';
import { startContentReader, type ContentReader } from './content-reader.ts';
import { hardenedGit } from './git.ts';
import {
  isObjectQuestion,
  objectAnswer,
  writtenTree,
  writtenTreeOf,
  type ObjectTools,
} from './object-questions.ts';
import { startReader, type GitObject, type GitReader } from './object-reader.ts';
import { createMovedRefs, type MovedRefs } from './moved-refs.ts';
import { newObjects } from './new-objects.ts';
import { createObjectView, type ObjectView } from './object-view.ts';
import { writePack } from './pack-file.ts';
import { hashOf, ownStore } from './own-store.ts';
import { readUpdateRef, startRefWriter, type RefUpdate, type RefWriter } from './ref-writer.ts';
import { repositoryStamp } from './repository-stamp.ts';

/** A git whose plain look-ups cost no process each. */
export interface ReadingGit {
  git: Git;
  /** Ends the readers; the next look-up would start them again. */
  close(): void;
  /** How many readers are up. */
  running(): number;
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

/** Most processes that are kept up at once; the one that was asked longest ago ends for a new one. */
const mostReaders = 16;

/**
 * Answers `rev-parse` of full ids and refs, `cat-file -e` and `cat-file --batch-check` from one long-lived `cat-file` for each
 * repository, and what is asked about whole trees and commits from a second one that gives contents; everything else, and whatever a
 * reader does not find, goes to `git`, so the answers are the same. Refs and the objects that a question names are looked for in the
 * repository each time. Commits and merged trees are stored without a process in clones of Baton's own alone.
 *
 * Source: docs/decisions/0043-git-is-asked-without-a-process.md.
 */
export function createReadingGit(options: {
  git: Git;
  /** The operator's environment; only what git needs of it is passed on. */
  env: Readonly<Record<string, string | undefined>>;
  /** Baton's state folder, absolute: objects are stored in the clones below it alone. Left out: nowhere. */
  stateDir?: string;
}): ReadingGit {
  const { prefix, env } = hardenedGit(options.env);
  const own = options.stateDir === undefined ? null : path.join(options.stateDir, 'repos');
  const readers = createReaders(({ kind, cwd }) => {
    const start = (...flags: string[]) => ['git', ...prefix, 'cat-file', ...flags] as [string, ...string[]];
    if (kind === 'refs') return startRefWriter(['git', ...prefix, 'update-ref', '--stdin'], { cwd, env });
    if (kind === 'contents') return startContentReader(start('--batch'), { cwd, env });
    const links = kind === 'links' ? ['--follow-symlinks'] : [];
    return startReader(start('--batch-check', ...links), { cwd, env });
  });
  const objects = objectSide({ readers, env, own });
  const moved = createMovedRefs();
  const bring = bringer({ git: options.git, readers, objects, moved, command: ['git', ...prefix], env });
  const asked = (args: readonly string[], given: GitOptions): Promise<string | null> | null => {
    if (given.signal?.aborted || given.userFiles === true) return null;
    const bringing = readBringing(args, given);
    if (bringing !== null) return bring(bringing, given.cwd);
    const question = questionOf(args, given);
    return question === null ? objects.asked(args, given) : lookUp(readers, { question, cwd: given.cwd });
  };
  const orGit = async (asking: Promise<string | null>, ...command: Parameters<Git>): Promise<ExecResult> => {
    const printed = await asking;
    return printed === null ? options.git(...command) : answer(printed);
  };
  return {
    git(args, given) {
      moved.note(args, given);
      const asking = asked(args, given);
      // No await before the start: the stack then shows the caller.
      return asking === null ? options.git(args, given) : orGit(asking, args, given);
    },
    close() {
      readers.close();
      objects.forget();
    },
    running: () => readers.running(),
  };
}

async function lookUp(
  readers: Readers,
  { question, cwd }: { question: Question; cwd: string },
): Promise<string | null> {
  const reader = readers.of(question.followsLinks ? 'links' : 'names', cwd) as GitReader;
  const objects = await Promise.all(question.lines.map((line) => reader.ask(line)));
  const known = objects.filter((object) => object !== null);
  return known.length === objects.length ? question.print(known) : null;
}

/** What is asked about whole objects, and stored in clones of Baton's own. */
function objectSide({
  readers,
  env,
  own,
}: {
  readers: Readers;
  env: Readonly<Record<string, string>>;
  own: string | null;
}) {
  const views = new Map<string, { stamp: string; view: ObjectView }>();
  const viewOf = (cwd: string): ObjectView => {
    const stamp = repositoryStamp(cwd);
    const known = views.get(cwd);
    if (known?.stamp === stamp) return known.view;
    if (views.size >= mostReaders) views.clear();
    const view = createObjectView(() => readers.of('contents', cwd) as ContentReader);
    views.set(cwd, { stamp, view });
    return view;
  };
  const toolsOf = (cwd: string): ObjectTools => ({
    view: viewOf(cwd),
    storeFor: (id) => ownStore({ cwd, own, id }),
    sizeOf: async (id) => (await (readers.of('names', cwd) as GitReader).ask(id))?.size ?? null,
  });
  const writeTree = async (bare: string, given: GitOptions): Promise<string | null> => {
    const { GIT_INDEX_FILE: index, ...more } = given.env ?? {};
    const hash = hashOf(bare);
    const isPlain = given.stdin === undefined && Object.keys(more).length === 0;
    return index === undefined || hash === null || !isPlain
      ? null
      : writtenTree(toolsOf(bare), { index, hash }).catch(leftToGit);
  };
  const setRef = async (update: RefUpdate, given: GitOptions): Promise<string | null> => {
    const { cwd, stdin, finishes, env: more } = given;
    const isPlain = stdin === undefined && finishes !== true && more === undefined;
    if (!isPlain || ownStore({ cwd, own, id: update.commit }) === null) return null;
    return (await (readers.of('refs', cwd) as RefWriter).set(update)) ? '' : null;
  };
  return {
    forget: () => views.clear(),
    toolsOf,
    /** Null: it is no such question. */
    asked(args: readonly string[], given: GitOptions): Promise<string | null> | null {
      const update = readUpdateRef(args);
      if (update !== null) return setRef(update, given);
      const bare = writtenTreeOf(args);
      if (bare !== null) return writeTree(bare, given);
      if (!isObjectQuestion(args) || !isAboutObjects(given)) return null;
      const { cwd, stdin } = given;
      const told = objectAnswer(toolsOf(cwd), { args, stdin, env: { ...env, ...given.env } });
      return told.catch(leftToGit);
    },
  };
}

/** Brings commits from clones of Baton's own by one `unpack-objects`; what `fetch` prints, nothing, or null where it must do it. */
function bringer(given: {
  git: Git;
  readers: Readers;
  objects: ReturnType<typeof objectSide>;
  moved: MovedRefs;
  command: [string, ...string[]];
  env: Readonly<Record<string, string>>;
}) {
  const { git, readers, objects, moved, command, env } = given;
  return async ({ clone, commit, ref }: Bringing, cwd: string): Promise<string | null> => {
    const tools = objects.toolsOf(clone);
    const store = tools.storeFor(commit);
    if (store === null) return null;
    const has = async (one: string) =>
      (await (readers.of('names', cwd) as GitReader).ask(one))?.type === 'commit';
    const keeps = async (commits: readonly string[]) => {
      if (commits.length === 0) return false;
      const names = readers.of('names', cwd) as GitReader;
      const heads = await Promise.all(moved.of(cwd).map((name) => names.ask(name)));
      if (commits.every((commit) => heads.some((head) => head?.id === commit))) return true;
      const others = await git(['rev-list', '--max-count=1', ...commits, '--not', '--all'], { cwd });
      return others.exitCode === 0 && others.stdout === '';
    };
    const found = await newObjects({ ...tools, has, keeps }, commit).catch(leftToGit);
    if (found === null) return null;
    const pack = writePack(store.hash, found);
    if (found.length > 0 && !(await unpack(command, { cwd, env, pack }))) return null;
    const isSet = await (readers.of('refs', cwd) as RefWriter).set({ ref, commit, before: null });
    return isSet ? '' : null;
  };
}

/** What cannot be stored, such as on a full disk, git says in its own words. */
function leftToGit(error: unknown): null {
  if (typeof (error as NodeJS.ErrnoException).code === 'string') return null;
  throw error;
}

type ReaderKind = 'names' | 'links' | 'contents' | 'refs';
type Reader = GitReader | ContentReader | RefWriter;

interface Readers {
  of(kind: ReaderKind, cwd: string): Reader;
  close(): void;
  running(): number;
}

/** Keeps a bounded number of readers, each started when it is first asked. */
function createReaders(start: (wish: { kind: ReaderKind; cwd: string }) => Reader): Readers {
  const readers = new Map<string, { stamp: string; reader: Reader }>();
  return {
    of(kind, cwd) {
      const key = `${kind}:${cwd}`;
      const stamp = repositoryStamp(cwd);
      const known = readers.get(key);
      // It would answer by settings, or from objects, that are there no more, such as what an agent had planted.
      if (known !== undefined && known.stamp !== stamp) known.reader.git.end();
      for (const [other, { reader }] of readers) if (reader.git.ended) readers.delete(other);
      const reader = known && !known.reader.git.ended ? known.reader : start({ kind, cwd });
      readers.delete(key); // the newest is last
      readers.set(key, { stamp, reader });
      for (const [oldest, old] of readers) {
        if (readers.size <= mostReaders) break;
        if (old.reader.git.isBusy || oldest === key) continue;
        old.reader.git.end();
        readers.delete(oldest);
      }
      return reader;
    },
    close() {
      for (const { reader } of readers.values()) reader.git.end();
      readers.clear();
    },
    running: () => [...readers.values()].filter(({ reader }) => !reader.git.ended).length,
  };
}

const ofCommits = /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$/;

/** Other variables than those of a commit may point git elsewhere. */
function isAboutObjects({ env = {} }: GitOptions): boolean {
  return Object.keys(env).every((name) => ofCommits.test(name));
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
