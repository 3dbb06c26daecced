import { readdirSync, readFileSync } from 'node:fs';

/** A process found by {@link listProcessesWithMarker}. */
export interface MarkedProcess {
  pid: number;
  commandLine: string;
}

/**
 * When a process started, in clock ticks since boot; `undefined` when it is gone. A zombie counts as gone.
 * Pid and start time together name a process for good.
 */
export function processStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/**
 * All living processes whose starting environment holds a text, for example `BATON_SESSION=<id>`: also grandchildren
 * in sessions of their own. The calling process is left out. Linux only.
 */
export function listProcessesWithMarker(marker: string): MarkedProcess[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && processStartTime(pid) !== undefined)
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(marker)) return [];
        return [
          { pid, commandLine: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim() },
        ];
      } catch {
        return []; // ended while being looked at
      }
    });
}
