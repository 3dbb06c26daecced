import { setTimeout as delay } from 'node:timers/promises';
import { killAll } from './kill-tree.ts';
import { groupMembers, isAlive, processesOfSupervisor, type ProcessRef } from './process-table.ts';

/*
 * A small process of its own that holds a pipe from its supervisor and ends everything that belongs to it when the
 * pipe closes, however the supervisor died. Lines: "+<pid> <start>" a group begins, "-<pid>" it ended, "=<mark>" children may carry
 * this mark in their limits.
 */

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

const supervisor = process.argv[2] ?? '';
const groups = new Map<number, ProcessRef>();
const marks = new Set<string>();
let rest = '';

process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  lines.forEach(note);
});
process.stdin.on('error', () => undefined);
process.stdin.on('close', () => void end());

function note(line: string): void {
  const [pid = '', ...started] = line.slice(1).split(' ');
  if (line.startsWith('=')) marks.add(pid);
  if (line.startsWith('-')) groups.delete(Number(pid));
  if (line.startsWith('+'))
    groups.set(Number(pid), { pid: Number(pid), pidStarted: started.join(' ') || null });
}

async function end(): Promise<void> {
  const [, pid = '0', ...started] = supervisor.split(':');
  const owner = { pid: Number(pid), pidStarted: started.join(':') };
  // A dying process closes its files before the process table shows it as dead.
  for (let looks = 0; looks < 500 && isAlive(owner); looks += 1) await delay(20);
  if (isAlive(owner)) return;
  await killAll(() => [
    ...processesOfSupervisor(supervisor, marks),
    ...[...groups.values()].flatMap(survivors),
  ]);
  // A child that our supervisor was just starting carries its mark only once it runs its own program. Its groups are over by now.
  for (const ms of [100, 1_000]) {
    await delay(ms);
    await killAll(() => processesOfSupervisor(supervisor, marks));
  }
}

function survivors(leader: ProcessRef): ProcessRef[] {
  const reused = !isAlive(leader) && isAlive({ pid: leader.pid, pidStarted: null });
  return reused ? [] : groupMembers(leader.pid);
}
