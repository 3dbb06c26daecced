import { spawn, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { codeCache, nodeFor } from './code-cache.ts';
import { withoutLimitMark } from './limit-mark.ts';
import { processStart, supervisorId } from './process-table.ts';

const program = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './reaper-main.ts' : './reaper-main.js', import.meta.url),
);

let pipe: NodeJS.WritableStream | undefined;
/** All that were given out: a reaper that takes the place of a dead one learns them again. */
const marks = new Set<string>();

/** What ends our children when we cannot. */
export interface Guard {
  /** Names a group that a child leads. */
  group(pid: number): { ended(): void };
  /** Names a mark that children carry in their limits, before the first of them is started. */
  mark(mark: string): void;
}

/**
 * Makes sure that nothing we start from here on outlives us, even when we are killed with SIGKILL: one small helper
 * process per Baton process holds a pipe from us and, when that closes, ends every child. `PR_SET_PDEATHSIG` would do
 * it in the kernel but cannot be reached from Node. Source: docs/spec/agents.md#supervision.
 *
 * @throws the error of the start, with its code, where no process or pipe is left for it
 */
export function openGuard(): Guard {
  pipe ??= startReaper();
  return {
    group(pid) {
      pipe ??= startReaper(); // it may have died since it was started
      pipe.write(`+${pid} ${processStart(pid) ?? ''}\n`);
      return { ended: () => void pipe?.write(`-${pid}\n`) };
    },
    mark(mark) {
      if (marks.has(mark)) return;
      marks.add(mark);
      pipe ??= startReaper();
      pipe.write(`=${mark}\n`);
    },
  };
}

function startReaper(): NodeJS.WritableStream {
  // A session of its own: neither Ctrl-C nor a kill of our group reaches it. It carries no marker, neither of ours nor of an agent that
  // started us: with us ended, it still ends our children.
  const [file, ...args] = withoutLimitMark([...nodeFor(program), supervisorId()]);
  const child: Omit<ChildProcess, 'stdin'> & { stdin: Writable | undefined } = spawn(file, args, {
    ...{ cwd: '/', env: codeCache(), detached: true },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const restart = () => {
    pipe = undefined; // the next child starts a new one, which finds all of ours by their environment
  };
  child.on('error', restart);
  child.on('exit', restart);
  if (child.stdin === undefined) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  child.stdin.on('error', restart);
  for (const mark of marks) child.stdin.write(`=${mark}\n`);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child.stdin;
}
