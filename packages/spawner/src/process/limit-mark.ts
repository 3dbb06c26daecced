import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { interpreterOf } from './start-problem.ts';

/*
 * A mark that a program cannot lose by accident. Environment, session, parent and working folder can all be cleared in one line of
 * shell; resource limits go to every child, whatever it clears. The soft limit of CPU time between two waits of a real-time process
 * (RLIMIT_RTTIME, in microseconds) is set to a number above 70,000 years: it limits nothing, no other program uses it, and
 * /proc/<pid>/limits shows it. See docs/decisions/0032-agents-carry-a-mark-in-their-limits.md.
 */

/** Whether programs can carry a mark in their limits here. */
export type LimitMarks =
  | { works: true; prlimit: string }
  /** `why`: one sentence part. */
  | { works: false; why: string };

const places = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
const probeMark = markOf('probe');

let found: LimitMarks | undefined;
/** Finds out by trying, once. */
export function limitMarks(): LimitMarks {
  found ??= tryMark();
  return found;
}

function tryMark(): LimitMarks {
  if (process.platform !== 'linux') return { works: false, why: 'only Linux shows the limits of a process' };
  const prlimit = places.map((folder) => path.join(folder, 'prlimit')).find((file) => existsSync(file));
  if (prlimit === undefined) return { works: false, why: 'prlimit (util-linux) is not installed' };
  const [program, ...args] = marked(['cat', '/proc/self/limits'], { prlimit, mark: probeMark });
  try {
    const seen = execFileSync(program, args, {
      encoding: 'utf8',
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (markIn(seen) === probeMark) return { works: true, prlimit };
    return { works: false, why: '/proc does not show the limits of a process' };
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? '').trim();
    return {
      works: false,
      why: `limits cannot be set (${said.split('\n').at(-1)?.slice(0, 200) ?? 'prlimit failed'})`,
    };
  }
}

/** The mark of a marker: between 2^61 and 2^62, so that a mark can be taken for nothing else. */
export function markOf(marker: string): string {
  const digest = createHash('sha256').update(marker).digest();
  return String((1n << 61n) | (digest.readBigUInt64BE() >> 3n));
}

/** The number in the limits of a process that a mark would be; null: none, or the process is gone. */
export function limitMarkOf(pid: number): string | null {
  try {
    // Every process is asked, and often: one read into one buffer takes half the time of readFileSync.
    const file = openSync(`/proc/${pid}/limits`, 'r');
    try {
      return markIn(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)));
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

const bytes = Buffer.alloc(4_096);
const line = '\nMax realtime timeout';

function markIn(limits: string): string | null {
  const at = limits.indexOf(line);
  return at < 0
    ? null
    : (/^ +(\d{19}) /.exec(limits.slice(at + line.length, at + line.length + 40))?.[1] ?? null);
}

/**
 * The arguments that start a program with the mark of its marker, in the same process. Unchanged where marks do not work, and where the
 * program cannot be started: then the start itself says why.
 */
export function withLimitMark(
  argv: readonly [string, ...string[]],
  { marker, ...place }: { marker: string; cwd: string; env: Readonly<Record<string, string>> },
): readonly [string, ...string[]] {
  const marks = limitMarks();
  if (!marks.works || !canStart(argv[0], place)) return argv;
  return marked(argv, { prlimit: marks.prlimit, mark: markOf(marker) });
}

/** Takes an inherited mark off a program that has to outlive what carries it. */
export function withoutLimitMark(argv: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (process.platform !== 'linux' || limitMarkOf(process.pid) === null) return argv;
  const marks = limitMarks();
  return marks.works ? marked(argv, { prlimit: marks.prlimit, mark: 'unlimited' }) : argv;
}

function marked(
  argv: readonly string[],
  { prlimit, mark }: { prlimit: string; mark: string },
): [string, ...string[]] {
  return [prlimit, `--rttime=${mark}:`, '--', ...argv];
}

/** As execvp(3) looks: along PATH unless the name holds a slash, from the program's working folder. */
function canStart(
  program: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): boolean {
  const folders = program.includes('/') ? ['.'] : (env['PATH'] ?? '/bin:/usr/bin').split(':');
  const files = folders.map((folder) => path.resolve(cwd, folder, program));
  const file = files.find(isProgram);
  return existsSync(cwd) && file !== undefined && hasInterpreter(file);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** A script whose interpreter is missing is no program that could be started. */
function hasInterpreter(file: string): boolean {
  const interpreter = interpreterOf(file);
  return interpreter === undefined || existsSync(interpreter);
}
