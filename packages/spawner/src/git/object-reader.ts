import { spawnGuarded } from '../process/exec.ts';

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
  const { child, stdout } = startUnreferenced(argv, options);
  const waiting: ((object: GitObject | null) => void)[] = [];
  let rest = '';
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
  const take = (line: string): void => {
    const object = readAnswer(line);
    // Other answers may have a second line: after them, answers no longer match questions.
    if (object === 'odd') return end();
    waiting.shift()?.(object);
  };

  child.once('error', end);
  child.once('exit', end);
  stdout?.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (!ended) take(line);
    if (!ended) watch();
  });
  watch();

  return {
    get ended() {
      return ended;
    },
    end,
    ask(line) {
      if (ended || /[\n\0]/.test(line)) return Promise.resolve(null);
      const answer = new Promise<GitObject | null>((resolve) => waiting.push(resolve));
      child.stdin?.write(`${line}\n`);
      watch();
      return answer;
    },
  };
}

/** A socket can be kept from holding the program up, a stream of another kind cannot. */
interface Referenced {
  ref?(): void;
  unref?(): void;
}

/** Starts the process; neither it nor what is written to it keeps the program up. */
function startUnreferenced(argv: readonly [string, ...string[]], options: ReaderOptions) {
  const { child } = spawnGuarded(argv, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  child.unref();
  (child.stdin as Referenced | null)?.unref?.();
  child.stdout?.setEncoding('utf8');
  return { child, stdout: child.stdout as (NodeJS.ReadableStream & Referenced) | null };
}

/** The object of an answer; null: there is none of that name. */
function readAnswer(line: string): GitObject | null | 'odd' {
  const [, id, type = '', size] = found.exec(line) ?? [];
  if (id !== undefined) return { id, type, size: Number(size) };
  return missing.test(line) ? null : 'odd';
}
