import type { MemorySample } from './moments.ts';
import { processTree } from './process-tree.ts';
import { readProcesses, residentBytes } from './processes.ts';

const everyMs = 200;
const tellEveryMs = 15_000;

/** Looks at a command while it runs. */
export interface Watch {
  begin(pid: number): void;
  /** What the command said on stderr. */
  told(text: string): void;
  /** CPU time in ms of the command and all that it started, up to a fifth of a second before its end. */
  end(): { cpuMs: number; memory: MemorySample[] };
}

/** Reads memory and CPU time five times a second, which costs some milliseconds of CPU each, and says every quarter of a minute how far it is. */
export function watchCommand({ say }: { say(line: string): void }, { tasks }: { tasks: number }): Watch {
  const memory: MemorySample[] = [];
  let tree = processTree(0);
  let timer: NodeJS.Timeout | undefined;
  let last = '';
  let saidMs = performance.now();
  const look = (pid: number) => {
    tree.look(readProcesses());
    memory.push({ at: performance.timeOrigin + performance.now(), bytes: residentBytes(pid) });
    if (performance.now() - saidMs < tellEveryMs || last === '') return;
    saidMs = performance.now();
    say(`  … of ${tasks} tasks: ${last}`);
  };
  return {
    begin(pid) {
      tree = processTree(pid);
      timer = setInterval(() => look(pid), everyMs);
    },
    told: (text) => (last = text.trimEnd().split('\n').at(-1) ?? last),
    end() {
      clearInterval(timer);
      return { cpuMs: tree.cpuMs(), memory };
    },
  };
}
