import { startAnswering, type AnsweringProcess } from './answering-process.ts';

/** What git says of one object: its id, type and size. */
export interface GitObject {
  id: string;
  type: string;
  size: number;
}

/** One `git cat-file --batch-check` that stays up and answers line for line. It never writes. */
export interface GitReader {
  readonly git: AnsweringProcess<GitObject | null>;
  /** The object that a line names; null: nothing is known (missing, odd, or the reader ended), so git itself must be asked. */
  ask(line: string): Promise<GitObject | null>;
}

const found = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/;
const missing = / missing$/;
const lineEnd = 10;

/** Starts a reader. It reports every failure by null answers only. */
export function startReader(
  argv: readonly [string, ...string[]],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): GitReader {
  const git = startAnswering<GitObject | null>(argv, { ...options, read: readAnswer });
  return {
    git,
    ask: (line) => (/[\n\0]/.test(line) ? Promise.resolve(null) : git.ask(`${line}\n`)),
  };
}

/** Other answers may have a second line: after them, answers no longer match questions. */
function readAnswer(text: Buffer): { answer: GitObject | null; rest: Buffer } | null | 'odd' {
  const at = text.indexOf(lineEnd);
  if (at < 0) return null;
  const answer = readHead(text.toString('utf8', 0, at));
  return answer === 'odd' ? 'odd' : { answer, rest: text.subarray(at + 1) };
}

/** The object that a line of `cat-file` names; null: there is none of that name. */
export function readHead(line: string): GitObject | null | 'odd' {
  const [, id, type = '', size] = found.exec(line) ?? [];
  if (id !== undefined) return { id, type, size: Number(size) };
  return missing.test(line) ? null : 'odd';
}
