import type { Writable } from 'node:stream';
import { openGuarded } from '../process/exec.ts';
import { killTree } from '../process/kill-tree.ts';
import type { OpenChild } from '../process/open-child.ts';

/** What git says of one object: its id, type and size. */
export interface GitObject {
  id: string;
  type: string;
  size: number;
}

/** One `git cat-file --batch-check` that stays up and answers line for line. It never writes. */
export interface GitReader {
  /** The object that a line names; null: nothing is known (missing, odd, or the reader ended), so git itself must be asked. */
  ask(line: string): Promise<GitObject | null>;
  /** True when it ended, for whatever reason; it is then of no more use. */
  readonly ended: boolean;
  /** Whether an answer is due. */
  readonly isBusy: boolean;
  end(): void;
}

/** A reader without questions for this long ends: it would keep a removed repository's files open. */
const idleMs = 5_000;
/** Longest wait for an answer. */
const answerMs = 30_000;
const found = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/;
const missing = / missing$/;

interface ReaderOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** Starts a reader. It reports every failure by null answers only. */
export function startReader(argv: readonly [string, ...string[]], options: ReaderOptions): GitReader {
  const waiting: ((object: GitObject | null) => void)[] = [];
  const input = lateInput();
  let child: Unreferenced | null = null;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;

  const end = (): void => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    child?.stdin.end();
    if (child !== null) void killTree(child, { graceMs: 0 });
    for (const answer of waiting.splice(0)) answer(null);
  };
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, waiting.length > 0 ? answerMs : idleMs);
    // It keeps the program up only while an answer is due.
    if (waiting.length > 0) return child?.stdout.ref?.();
    timer.unref();
    child?.stdout.unref?.();
  };
  const take = (line: string): void => {
    const object = readAnswer(line);
    // Other answers may have a second line: after them, answers no longer match questions.
    if (object === 'odd') return end();
    waiting.shift()?.(object);
  };
  const read = byLine((line) => {
    if (ended) return;
    take(line);
    if (!ended) watch();
  });
  const begin = (opened: Unreferenced | null): void => {
    if (opened === null) return end();
    if (ended) return void killTree(opened, { graceMs: 0 });
    child = opened;
    void opened.exited.then(end);
    opened.stdout.on('data', read);
    input.open(opened.stdin);
    watch();
  };
  void openUnreferenced(argv, options).then(begin, end);
  watch();

  return {
    get ended() {
      return ended;
    },
    get isBusy() {
      return waiting.length > 0;
    },
    end,
    ask(line) {
      if (ended || /[\n\0]/.test(line)) return Promise.resolve(null);
      const answer = new Promise<GitObject | null>((resolve) => waiting.push(resolve));
      input.write(`${line}\n`);
      watch();
      return answer;
    },
  };
}

/** Takes text in pieces and gives whole lines. */
function byLine(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(onLine);
  };
}

/** What is written before there is a process waits for it. */
function lateInput(): { write(text: string): void; open(stdin: Writable): void } {
  let early = '';
  let stdin: Writable | null = null;
  return {
    write(text) {
      if (stdin === null) early += text;
      else stdin.write(text);
    },
    open(opened) {
      stdin = opened;
      if (early !== '') stdin.write(early);
    },
  };
}

/** A socket can be kept from holding the program up, a stream of another kind cannot. */
interface Referenced {
  ref?(): void;
  unref?(): void;
}

type Unreferenced = OpenChild & { stdout: Referenced };

/** Starts the process; neither it nor what is written to it keeps the program up. Null: it cannot be started. */
async function openUnreferenced(
  argv: readonly [string, ...string[]],
  options: ReaderOptions,
): Promise<Unreferenced | null> {
  const child = await openGuarded(argv, { ...options, isUnreferenced: true });
  if ('error' in child) return null;
  for (const stream of [child.stdin, child.stdout, child.stderr] as Referenced[]) stream.unref?.();
  child.stdout.setEncoding('utf8');
  child.stderr.resume();
  return child;
}

/** The object of an answer; null: there is none of that name. */
function readAnswer(line: string): GitObject | null | 'odd' {
  const [, id, type = '', size] = found.exec(line) ?? [];
  if (id !== undefined) return { id, type, size: Number(size) };
  return missing.test(line) ? null : 'odd';
}
