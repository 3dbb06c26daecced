import { startAnswering, type AnsweringProcess } from './answering-process.ts';
import { readHead } from './object-reader.ts';

/** An object in full. */
export interface ObjectContent {
  id: string;
  type: string;
  body: Buffer;
}

/** One `git cat-file --batch` that stays up and answers with contents. It never writes. */
export interface ContentReader {
  readonly git: AnsweringProcess<ObjectContent | null>;
  /** The object of a full id; null: nothing is known (missing, or the reader ended), so git itself must be asked. */
  read(id: string): Promise<ObjectContent | null>;
}

const isId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const lineEnd = 10;

/** Starts a reader. It reports every failure by null answers only. */
export function startContentReader(
  argv: readonly [string, ...string[]],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): ContentReader {
  const git = startAnswering<ObjectContent | null>(argv, { ...options, read: readAnswer });
  return {
    git,
    read: (id) => (isId.test(id) ? git.ask(`${id}\n`) : Promise.resolve(null)),
  };
}

function readAnswer(text: Buffer): { answer: ObjectContent | null; rest: Buffer } | null | 'odd' {
  const at = text.indexOf(lineEnd);
  if (at < 0) return null;
  const head = readHead(text.toString('latin1', 0, at));
  if (head === 'odd') return 'odd';
  if (head === null) return { answer: null, rest: text.subarray(at + 1) };
  const { id, type, size } = head;
  const last = at + 1 + size;
  if (text.length <= last) return null;
  if (text[last] !== lineEnd) return 'odd';
  return { answer: { id, type, body: text.subarray(at + 1, last) }, rest: text.subarray(last + 1) };
}
