import { spawnGuarded } from '../process/exec.ts';

/** An object in full. */
export interface ObjectContent {
  id: string;
  type: string;
  body: Buffer;
}

/** One `git cat-file --batch` that stays up and answers with contents. It never writes. */
export interface ContentReader {
  /** The object of a full id; null: nothing is known (missing, or the reader ended), so git itself must be asked. */
  read(id: string): Promise<ObjectContent | null>;
  /** True when it ended, for whatever reason; it is then of no more use. */
  readonly ended: boolean;
  /** Whether an answer is due. */
  readonly isBusy: boolean;
  end(): void;
}

/** A reader without questions for this long ends: it would keep a removed repository's files open. */
const idleMs = 5_000;
/** Longest wait for the next part of an answer. */
const answerMs = 30_000;
const isId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const found = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/;
const lineEnd = 10;

/** Starts a reader. It reports every failure by null answers only. */
export function startContentReader(
  argv: readonly [string, ...string[]],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): ContentReader {
  const { child } = spawnGuarded(argv, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const stdout = child.stdout as (NodeJS.ReadableStream & Referenced) | null;
  child.unref();
  (child.stdin as Referenced | null)?.unref?.();
  const waiting: ((object: ObjectContent | null) => void)[] = [];
  let rest: Buffer = Buffer.alloc(0);
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
    for (let next = readAnswer(rest); next !== null; next = readAnswer(rest)) {
      // Answers of another form have no known length: after one, they no longer match questions.
      if (next === 'odd') return end();
      rest = next.rest;
      waiting.shift()?.(next.object);
    }
    if (!ended) watch();
  });
  watch();

  return {
    get ended() {
      return ended;
    },
    get isBusy() {
      return waiting.length > 0;
    },
    end,
    read(id) {
      if (ended || !isId.test(id)) return Promise.resolve(null);
      const answer = new Promise<ObjectContent | null>((resolve) => waiting.push(resolve));
      child.stdin?.write(`${id}\n`);
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

/** The first answer of what was printed; null: it is not whole yet. */
function readAnswer(text: Buffer): { object: ObjectContent | null; rest: Buffer } | null | 'odd' {
  const at = text.indexOf(lineEnd);
  if (at < 0) return null;
  const head = text.toString('latin1', 0, at);
  const [, id, type = '', size] = found.exec(head) ?? [];
  if (id === undefined)
    return head.endsWith(' missing') ? { object: null, rest: text.subarray(at + 1) } : 'odd';
  const last = at + 1 + Number(size);
  if (text.length <= last) return null;
  if (text[last] !== lineEnd) return 'odd';
  return { object: { id, type, body: text.subarray(at + 1, last) }, rest: text.subarray(last + 1) };
}
