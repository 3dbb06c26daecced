import type { Writable } from 'node:stream';
import { openGuarded } from '../process/exec.ts';
import { killTree } from '../process/kill-tree.ts';
import type { OpenChild } from '../process/open-child.ts';

/** A git that stays up and answers one question after the other. */
export interface AnsweringProcess<T> {
  /** The answer to a question, which is written as it is; null: nothing is known, since the process ended. */
  ask(question: string): Promise<T | null>;
  /** True when it ended, for whatever reason; it is then of no more use. */
  readonly ended: boolean;
  /** Whether an answer is due. */
  readonly isBusy: boolean;
  end(): void;
}

/** The first answer of what was printed and the rest; null: it is not whole yet; `odd`: no such answer was asked for. */
export type ReadAnswer<T> = (printed: Buffer) => { answer: T; rest: Buffer } | null | 'odd';

/** One without questions for this long ends: it would keep a removed repository's files open. */
const idleMs = 5_000;
/** For so long an end of its input may take to end it. */
const endMs = 1_000;
/** Longest wait for the next answer. */
const answerMs = 30_000;

/** Starts such a process. It reports every failure by null answers only. */
export function startAnswering<T>(
  argv: readonly [string, ...string[]],
  { read, ...options }: { cwd: string; env: Readonly<Record<string, string>>; read: ReadAnswer<T> },
): AnsweringProcess<T> {
  const answers = answersOf(read);
  const input = lateInput();
  let child: Unreferenced | null = null;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;

  const end = (): void => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    if (child !== null) void finish(child);
    answers.giveUp();
  };
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, answers.due() ? answerMs : idleMs);
    // It keeps the program up only while an answer is due.
    if (answers.due()) return child?.stdout.ref?.();
    timer.unref();
    child?.stdout.unref?.();
  };

  const take = (chunk: Buffer): void => {
    if (!ended) (answers.take(chunk) ? watch : end)();
  };
  const begin = (opened: Unreferenced | null): void => {
    if (opened === null) return end();
    if (ended) return void finish(opened);
    child = opened;
    void opened.exited.then(end);
    opened.stdin.on('error', end);
    opened.stdout.on('data', take);
    input.open(opened.stdin);
    watch();
  };
  void openUnreferenced(argv, options).then(begin, end);
  watch();

  const ask = (question: string): Promise<T | null> => {
    if (ended) return Promise.resolve(null);
    const answer = answers.next();
    input.write(question);
    watch();
    return answer;
  };
  return {
    ...{ ask, end },
    get ended() {
      return ended;
    },
    get isBusy() {
      return answers.due();
    },
  };
}

/** A git ends at the end of its input; then one call shows that its group is empty, and no process table is read. What stays is killed. */
async function finish(child: OpenChild): Promise<void> {
  child.stdin.end();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, endMs).unref()));
  await Promise.race([child.exited, late]);
  clearTimeout(timer);
  await killTree(child, { graceMs: 0 });
}

/** Answers in the order of their questions. */
function answersOf<T>(read: ReadAnswer<T>) {
  const waiting: ((answer: T | null) => void)[] = [];
  let rest: Buffer = Buffer.alloc(0);
  return {
    due: () => waiting.length > 0,
    next: () => new Promise<T | null>((resolve) => waiting.push(resolve)),
    /** False: after an answer of another form they no longer match questions. */
    take(chunk: Buffer): boolean {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (let next = read(rest); next !== null; next = read(rest)) {
        if (next === 'odd') return false;
        rest = next.rest;
        waiting.shift()?.(next.answer);
      }
      return true;
    },
    giveUp() {
      for (const answer of waiting.splice(0)) answer(null);
    },
  };
}

/** What is written in one turn is written at once. */
function writingTogether(write: (text: string) => void): (text: string) => void {
  let unwritten = '';
  return (text) => {
    if (unwritten === '')
      queueMicrotask(() => {
        write(unwritten);
        unwritten = '';
      });
    unwritten += text;
  };
}

/** What is written before there is a process waits for it. */
function lateInput(): { write(text: string): void; open(stdin: Writable): void } {
  let early = '';
  let stdin: Writable | null = null;
  return {
    write: writingTogether((text) => {
      if (stdin === null) early += text;
      else stdin.write(text);
    }),
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
  options: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<Unreferenced | null> {
  const child = await openGuarded(argv, { ...options, isUnreferenced: true });
  if ('error' in child) return null;
  for (const stream of [child.stdin, child.stdout, child.stderr] as Referenced[]) stream.unref?.();
  child.stderr.resume();
  return child;
}
