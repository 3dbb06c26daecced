import { startAnswering, type AnsweringProcess } from './answering-process.ts';

/** A ref of Baton's own, what it is to name, and what it must name before: zeros for a new one, null for whatever it names. */
export interface RefUpdate {
  ref: string;
  commit: string;
  before: string | null;
}

/** One `git update-ref --stdin` that stays up; it holds no lock between two transactions. */
export interface RefWriter {
  readonly git: AnsweringProcess<true>;
  /** Sets a ref to a commit. False: it is not known to be done, so git itself must do it or say why not. */
  set(update: RefUpdate): Promise<boolean>;
}

const done = Buffer.from('start: ok\nprepare: ok\ncommit: ok\n', 'latin1');

/** Starts a writer. It ends at the first refusal. */
export function startRefWriter(
  argv: readonly [string, ...string[]],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): RefWriter {
  const git = startAnswering<true>(argv, { ...options, read: readAnswer });
  return {
    git,
    set: async ({ ref, commit, before }) => {
      const update = ['update', ref, commit, ...(before === null ? [] : [before])].join(' ');
      return (await git.ask(`start\n${update}\nprepare\ncommit\n`)) === true;
    },
  };
}

function readAnswer(text: Buffer): { answer: true; rest: Buffer } | null | 'odd' {
  const seen = text.subarray(0, done.length);
  if (!seen.equals(done.subarray(0, seen.length))) return 'odd';
  return seen.length < done.length ? null : { answer: true, rest: text.subarray(done.length) };
}

const id = '[0-9a-f]{40}(?:[0-9a-f]{24})?';
const command = new RegExp(`^update-ref (refs/baton/[A-Za-z0-9][A-Za-z0-9._/-]*) (${id})(?: (${id}))?$`);

/** The ref of Baton's own that a command sets, and to what; null: it does something else. */
export function readUpdateRef(args: readonly string[]): RefUpdate | null {
  const [, ref, commit, before = null] = command.exec(args.join(' ')) ?? [];
  const isWhole = args.length === (before === null ? 3 : 4);
  return isWhole && ref !== undefined && commit !== undefined ? { ref, commit, before } : null;
}
