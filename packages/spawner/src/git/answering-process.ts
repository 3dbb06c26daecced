import { spawnGuarded } from '../process/exec.ts';

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
/** Longest wait for the next answer. */
const answerMs = 30_000;

/** Starts such a process. It reports every failure by null answers only. */
export function startAnswering<T>(
  argv: readonly [string, ...string[]],
  { read, ...options }: { cwd: string; env: Readonly<Record<string, string>>; read: ReadAnswer<T> },
): AnsweringProcess<T> {
  const { child, stdout } = startUnreferenced(argv, options);
  const waiting: ((answer: T | null) => void)[] = [];
  let rest: Buffer = Buffer.alloc(0);
  const write = writingTogether((text) => void child.stdin?.write(text));
  let ended = false;
  let timer: NodeJS.Timeout | undefined;

  const end = (): void => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    child.stdin?.end();
    child.kill('SIGKILL');
    for (const answer of waiting.splice(0)) answer(null);
  };
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(end, waiting.length > 0 ? answerMs : idleMs);
    // It keeps the program up only while an answer is due.
    if (waiting.length > 0) return stdout?.ref?.();
    timer.unref();
    stdout?.unref?.();
  };

  child.once('error', end);
  child.once('exit', end);
  child.stdin?.on('error', end);
  stdout?.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let next = read(rest); next !== null; next = read(rest)) {
      // After an answer of another form they no longer match questions.
      if (next === 'odd') return end();
      rest = next.rest;
      waiting.shift()?.(next.answer);
    }
    if (!ended) watch();
  });
  watch();

  const ask = (question: string): Promise<T | null> => {
    if (ended) return Promise.resolve(null);
    const answer = new Promise<T | null>((resolve) => waiting.push(resolve));
    write(question);
    watch();
    return answer;
  };
  return {
    ...{ ask, end },
    get ended() {
      return ended;
    },
    get isBusy() {
      return waiting.length > 0;
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

/** Starts the process; neither it nor what is written to it keeps the program up. */
function startUnreferenced(
  argv: readonly [string, ...string[]],
  options: { cwd: string; env: Readonly<Record<string, string>> },
) {
  const { child } = spawnGuarded(argv, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  child.unref();
  (child.stdin as Referenced | null)?.unref?.();
  return { child, stdout: child.stdout as (NodeJS.ReadableStream & Referenced) | null };
}

/** A socket can be kept from holding the program up, a stream of another kind cannot. */
interface Referenced {
  ref?(): void;
  unref?(): void;
}
