import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { limitMarkOf, markOf } from './limit-mark.ts';
import { isCrowded } from './no-room.ts';

/** Variable whose value every process of one agent session or gate carries; children inherit it even in sessions of their own. */
export const markerVariable = 'BATON_RUN_MARKER';
/** Variable naming the Baton process that everything below it belongs to; see {@link supervisorId}. */
export const supervisorVariable = 'BATON_SUPERVISOR';

/** A process, told apart from a later one that got the same pid. */
export interface ProcessRef {
  pid: number;
  /** As {@link processStart} gave it; null: whatever has this pid. */
  pidStarted: string | null;
}

const hasProc = process.platform === 'linux';

/** What a look at a process ends with where it does not show it: there is none, or there was no room for a look. */
type Unknown = 'gone' | 'unseen';
const unknown = (error: unknown): Unknown => (isCrowded(error) ? 'unseen' : 'gone');

/** `/proc/<pid>/stat` from the state letter on; the program's name before it may hold spaces and brackets. */
function statOf(pid: number): string[] | Unknown {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    return unknown(error);
  }
}

function statFields(pid: number): string[] | null {
  const fields = statOf(pid);
  return typeof fields === 'string' ? null : fields;
}

let bootId: string | undefined;
function boot(): string {
  // Ticks start again at every boot, so that a record of an earlier boot could name a process of this one.
  bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
  return bootId;
}

function psOf(args: readonly string[]): { printed: string } | Unknown {
  try {
    const options = { env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' }, encoding: 'utf8' } as const;
    return { printed: execFileSync('ps', args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] }) };
  } catch (error) {
    return unknown(error);
  }
}

function ps(args: readonly string[]): string | null {
  const seen = psOf(args);
  return typeof seen === 'string' ? null : seen.printed;
}

/**
 * When a process started, as opaque text that is equal only for the same process: boot and clock ticks on Linux, the
 * start time of `ps` elsewhere. Null when there is none, or no room for a look; a zombie counts as gone.
 */
export function processStart(pid: number): string | null {
  const seen = startOf(pid);
  return typeof seen === 'string' ? null : seen.started;
}

function startOf(pid: number): { started: string } | Unknown {
  if (!hasProc) {
    const seen = psOf(['-o', 'state=,lstart=', '-p', String(pid)]);
    if (typeof seen === 'string') return seen;
    const [state, ...started] = seen.printed.trim().split(/\s+/);
    return state === undefined || state === '' || state.startsWith('Z')
      ? 'gone'
      : { started: started.join(' ') };
  }
  const fields = statOf(pid);
  if (typeof fields === 'string') return fields;
  return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : { started: `${boot()}-${fields[19]}` };
}

/**
 * Whether exactly this process still runs. A zombie (dead, not yet reaped by its parent) does not. Where open files or memory have run
 * out and it cannot be looked at, whatever has its pid counts: nothing of a process is taken away because it was not seen.
 */
export function isAlive(target: ProcessRef): boolean {
  const seen = startOf(target.pid);
  if (seen === 'unseen') return hasPid(target.pid);
  return seen !== 'gone' && (target.pidStarted === null || seen.started === target.pidStarted);
}

/** Whether exactly this process was seen at this moment: only then may it get a signal. */
export function isSeen(target: ProcessRef): boolean {
  const started = processStart(target.pid);
  return started !== null && (target.pidStarted === null || started === target.pidStarted);
}

/** Opens nothing. */
function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** User and system CPU milliseconds used by a process and the children it has waited for; null when gone or unknown. */
export function cpuTimeMs(pid: number): number | null {
  const fields = hasProc ? statFields(pid) : null;
  if (fields === null) return null;
  // utime, stime, cutime, cstime in ticks; Linux reports them at 100 Hz to user space on every architecture.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
}

/**
 * Living processes, but for this one, for whose starting environment or, if that is asked for, mark in the limits `matches` holds. Empty
 * where neither can be read.
 */
export function processesWhere(
  matches: (variables: readonly string[]) => boolean,
  hasMark?: (mark: string) => boolean,
  others: Set<number> = new Set(),
): ProcessRef[] {
  return hasProc ? fromProc(matches, { hasMark, others }) : fromPs(matches);
}

/**
 * Living processes that carry a marker, in their environment or in their limits.
 *
 * @param others Processes without it that an earlier look just found, by pid: not looked at again; those of this look are added. A
 * process cannot come to carry the marker of another one's session.
 */
export function markedProcesses(marker: string, others?: Set<number>): ProcessRef[] {
  const wanted = `${markerVariable}=${marker}`;
  const mark = markOf(marker);
  return processesWhere(
    (variables) => variables.includes(wanted),
    (found) => found === mark,
    others,
  );
}

/** Living processes in the group of `pgid`. Linux only; elsewhere the group's leader alone. */
export function groupMembers(pgid: number): ProcessRef[] {
  try {
    process.kill(-pgid, 0); // one call gives the usual answer, "none", without reading the process table
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return [];
  }
  if (!hasProc) return refs([pgid]);
  return refs(pids().filter((pid) => statFields(pid)?.[2] === String(pgid)));
}

/** Pids of all processes but this one. Linux only. */
export function pids(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid);
}

function refs(found: readonly number[]): ProcessRef[] {
  return found.flatMap((pid) => {
    const pidStarted = processStart(pid);
    return pidStarted === null ? [] : [{ pid, pidStarted }];
  });
}

/**
 * Processes that carry no mark of Baton's and never will, as they started long before this one: a mark comes with the program that a new
 * process starts. By pid, with the inode number of their folder in /proc, which is another one for a later process of that pid.
 */
const strangers = new Map<number, number>();
/** Whether a process is known to be none that Baton started. */
function isStranger(pid: number): boolean {
  const inode = strangers.get(pid);
  if (inode === undefined) return false;
  if (folderInode(pid) === inode) return true;
  strangers.delete(pid);
  return false;
}

const ownTicks = Number(hasProc ? statFields(process.pid)?.[19] : Number.NaN);
/** By then a process has started its program; its environment was its parent's before. */
const longBeforeTicks = 60 * 100;

function noteStranger(pid: number, variables: readonly string[]): void {
  const startedTicks = Number(statFields(pid)?.[19] ?? Number.NaN);
  if (!(startedTicks < ownTicks - longBeforeTicks)) return;
  if (variables.some((variable) => variable.startsWith('BATON_')) || limitMarkOf(pid) !== null) return;
  const inode = folderInode(pid);
  if (inode !== null) strangers.set(pid, inode);
}

function folderInode(pid: number): number | null {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino ?? null;
}

function fromProc(
  matches: (variables: readonly string[]) => boolean,
  { hasMark, others }: { hasMark: ((mark: string) => boolean) | undefined; others: Set<number> },
): ProcessRef[] {
  const found = pids().filter((pid) => {
    if (others.has(pid) || isStranger(pid)) return false;
    const variables = environmentOf(pid);
    const isOurs = matches(variables) || isMarked(pid, hasMark);
    // While a program is being started, its environment reads as empty; one of the kernel's has none.
    if (!isOurs && (variables.some((variable) => variable !== '') || isKernelThread(pid))) others.add(pid);
    if (!isOurs) noteStranger(pid, variables);
    return isOurs;
  });
  return refs(found);
}

const kernelThread = 0x0020_0000;

function isKernelThread(pid: number): boolean {
  return (Number(statFields(pid)?.[6] ?? 0) & kernelThread) !== 0;
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return []; // has ended by now, or is another user's
  }
}

function isMarked(pid: number, hasMark: ((mark: string) => boolean) | undefined): boolean {
  const mark = hasMark === undefined ? null : limitMarkOf(pid);
  return mark !== null && hasMark?.(mark) === true;
}

function fromPs(matches: (variables: readonly string[]) => boolean): ProcessRef[] {
  const lines = (ps(['-Eww', '-axo', 'pid=,command=']) ?? '').split('\n');
  const found = lines.map((line) => line.trim().split(/\s+/)).filter(([, ...words]) => matches(words));
  return refs(found.map(([pid]) => Number(pid)).filter((pid) => pid > 0 && pid !== process.pid));
}

let ownId: string | undefined;
/**
 * Names this process among all that this machine's pids can tell apart: `<pid namespace>:<pid>:<start>`. Every child
 * carries it, so that what outlives us is found without any record. The namespace keeps containers apart whose pids
 * mean something else here.
 */
export function supervisorId(): string {
  ownId ??= `${pidNamespace()}:${process.pid}:${processStart(process.pid) ?? ''}`;
  return ownId;
}

/** Living processes whose supervisor, one of this pid namespace, is dead. */
export function orphanedProcesses(): ProcessRef[] {
  const namespace = pidNamespace();
  const prefix = `${supervisorVariable}=`;
  return processesWhere((variables) => {
    const id = variables.find((variable) => variable.startsWith(prefix))?.slice(prefix.length);
    const [space, pid, ...started] = id?.split(':') ?? [];
    if (space !== namespace || pid === undefined) return false;
    return !isAlive({ pid: Number(pid), pidStarted: started.join(':') });
  });
}

/** Living processes of one supervisor: those whose environment names it, and those with one of its marks in their limits. */
export function processesOfSupervisor(id: string, marks: ReadonlySet<string> = new Set()): ProcessRef[] {
  const wanted = `${supervisorVariable}=${id}`;
  return processesWhere(
    (variables) => variables.includes(wanted),
    marks.size === 0 ? undefined : (mark) => marks.has(mark),
  );
}

let bootedMs: number | undefined;
/** When a process started, in milliseconds since the epoch, to the second; null when it cannot be known. */
export function processStartedMs(pid: number): number | null {
  const fields = hasProc ? statFields(pid) : null;
  if (fields === null) return null;
  bootedMs ??= Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1] ?? Number.NaN) * 1000;
  const startedMs = bootedMs + Number(fields[19]) * 10;
  return Number.isFinite(startedMs) ? startedMs : null;
}

/** Words of the command line of a process; none where it cannot be read. */
export function commandLine(pid: number): string[] {
  if (!hasProc) return (ps(['-ww', '-o', 'command=', '-p', String(pid)]) ?? '').trim().split(/\s+/);
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

/** Number of the namespace in which this process's pids have their meaning; 0 where there are none. */
export function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}
