import { startAnswering, type AnsweringProcess } from './answering-process.ts';

/** One `git update-ref --stdin` that stays up; it holds no lock between two transactions. */
export interface RefWriter {
  readonly git: AnsweringProcess<true>;
  /** Sets a ref to a commit, whatever it named before. False: it is not known to be done, so git itself must do it. */
  set(ref: string, commit: string): Promise<boolean>;
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
    set: async (ref, commit) => (await git.ask(`start\nupdate ${ref} ${commit}\nprepare\ncommit\n`)) === true,
  };
}

function readAnswer(text: Buffer): { answer: true; rest: Buffer } | null | 'odd' {
  const seen = text.subarray(0, done.length);
  if (!seen.equals(done.subarray(0, seen.length))) return 'odd';
  return seen.length < done.length ? null : { answer: true, rest: text.subarray(done.length) };
}

const id = '[0-9a-f]{40}(?:[0-9a-f]{24})?';
const command = new RegExp(`^update-ref (refs/baton/[A-Za-z0-9][A-Za-z0-9._/-]*) (${id})$`);

/** The ref of Baton's own that a command sets, and to what; null: it does something else. */
export function readUpdateRef(args: readonly string[]): { ref: string; commit: string } | null {
  const [, ref, commit] = command.exec(args.join(' ')) ?? [];
  return args.length === 3 && ref !== undefined && commit !== undefined ? { ref, commit } : null;
}
