import { readFileSync, readdirSync } from 'node:fs';

/** A process as /proc shows it. */
export interface Process {
  pid: number;
  parent: number;
  /** When it was started, in ticks since the machine was; tells two processes of one number apart. */
  started: number;
  /** CPU time in ms of its own and of the children that it has waited for, with theirs. */
  cpuMs: number;
  /** CPU time in ms of these children alone. */
  childrenMs: number;
}

const tickMs = 10; // what Linux shows is in hundredths of a second on every machine that Node runs on

/** All processes of the machine; none where there is no /proc. */
export function readProcesses(): Process[] {
  return listed().flatMap((name) => (/^\d+$/.test(name) ? readProcess(name) : []));
}

function listed(): string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

function readProcess(name: string): [Process] | [] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    // The program's own name may hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = (at: number) => Number(fields[at]) * tickMs;
    const childrenMs = ticks(13) + ticks(14);
    const cpuMs = ticks(11) + ticks(12) + childrenMs;
    return [
      {
        pid: Number(stat.split(' ', 1)[0]),
        parent: Number(fields[1]),
        started: Number(fields[19]),
        cpuMs,
        childrenMs,
      },
    ];
  } catch {
    return []; // it has ended in this moment
  }
}

/** CPU time in ms of all programs that this process has started and seen the end of; not a number where there is no /proc. */
export function cpuOfChildren(): number {
  return readProcess('self')[0]?.childrenMs ?? Number.NaN;
}

/** Memory that a process has resident, in bytes; not a number once it has ended. */
export function residentBytes(pid: number): number {
  try {
    const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? Number.NaN : Number(found[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}
