import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

import { readCrashLog, type CrashMoment, type CrashOrder, type CrashStrike } from './crash-points.ts';

/** Through which every wrapped function goes. */
export interface CrashGate {
  /** Counts and records a passage; returns the blow that is meant for it, if any. */
  pass(point: string, options: { hasMiddle: boolean }): CrashStrike | null;
  /** Records that the blow falls, and lets it fall. Does not return when this process is its victim. */
  strike(strike: CrashStrike, serverPid?: number | null): void;
}

const { kill } = process; // the real one: the wrapped one counts

/** Opens the gate of this process. Of several that share an order, one after the other, each blow falls on one. */
export function openCrashGate(order: CrashOrder): CrashGate {
  const passages = new Map<string, number>();
  const fallen = readCrashLog(order.log).filter(({ struck }) => struck !== undefined);
  const log = openSync(order.log, 'a');
  const due = [...(order.strike === null ? [] : [order.strike]), ...(order.more ?? [])].filter(
    ({ point, passage, moment }) =>
      !fallen.some((one) => one.point === point && one.passage === passage && one.struck === moment),
  );
  const write = (line: object) => void writeSync(log, `${JSON.stringify({ pid: process.pid, ...line })}\n`);
  process.once('exit', () => closeSync(log));
  return {
    pass(point, { hasMiddle }) {
      const passage = (passages.get(point) ?? 0) + 1;
      passages.set(point, passage);
      write({ point, passage, hasMiddle });
      return due.find((strike) => strike.point === point && strike.passage === passage) ?? null;
    },
    strike(strike, serverPid = null) {
      const at = due.indexOf(strike);
      if (at === -1) return; // each falls once
      due.splice(at, 1);
      const { point, passage, moment, victim } = strike;
      const line = { point, passage, hasMiddle: true, struck: moment, victim };
      if (victim !== 'self') {
        // A victim that an earlier blow has ended already cannot be struck.
        if (killed(() => serverProcess(serverPid, victim))) write(line);
        return;
      }
      write(line);
      kill.call(process, process.pid, 'SIGKILL');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); // until the blow is felt
    },
  };
}

/** Kills a process of the server; false where it is gone already. */
function killed(victim: () => number): boolean {
  try {
    return kill.call(process, victim(), 'SIGKILL');
  } catch (error) {
    if (['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** The backend of a connection, or its parent, which is the server itself. The server must run on this machine; Linux only. */
function serverProcess(backend: number | null, victim: 'backend' | 'postmaster'): number {
  if (backend === null) throw new Error('There is no connection here whose server could be killed.');
  const pid = victim === 'backend' ? backend : parentOf(backend);
  // A number may belong to somebody else by now, and who lost its parent is init's.
  if (!/^postgres$/m.test(readFileSync(`/proc/${pid}/comm`, 'latin1')))
    throw Object.assign(new Error('It is no server any more.'), { code: 'ESRCH' });
  return pid;
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Whether the blow is meant for this moment. */
export const isAt = (strike: CrashStrike | null, moment: CrashMoment): strike is CrashStrike =>
  strike?.moment === moment;
