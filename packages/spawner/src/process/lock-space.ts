import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isAlive, pidNamespace, type ProcessRef } from './process-table.ts';

/** What Linux names the namespace of pids that is no container's. */
const outermost = '4026531836';

let own: string | undefined;
/** Where a pid of this process has its meaning, as one line: host, boot, namespace of pids and a hash of the installation. A folder may be shared with other hosts and containers. */
export function ownSpace(): string {
  own ??= [
    hostname().replace(/\s+/g, '_') || '-',
    wordIn('/proc/sys/kernel/random/boot_id'),
    pidNamespace(),
    installation(),
  ].join(' ');
  return own;
}

/** Whether pids of a space mean nothing here. One that an older version did not name counts as this one. */
export function isOtherSpace(space: string | undefined): boolean {
  return space !== undefined && space !== '' && keyOf(space) !== keyOf(ownSpace());
}

/** The name of the host is a part only where the system names no boot: a host may get another name at any time. */
function keyOf(space: string): string {
  const [host, boot = '-', pids = ''] = space.split(' ');
  return boot === '-' ? `${host} ${pids}` : `${boot} ${pids}`;
}

/** Host of a space, for people. */
export function hostOf(space: string): string {
  return space.split(' ')[0] ?? space;
}

/** True when all processes of a space are known to be dead: it is this host, outside of all containers, before it was started again. */
export function isBeforeReboot(space: string, now = ownSpace()): boolean {
  const [host, boot = '-', pids, installed = '-'] = space.split(' ');
  const [ownHost, ownBoot, ownPids, ownInstalled] = now.split(' ');
  const isHost = host === ownHost && installed !== '-' && installed === ownInstalled; // hosts may have the same name
  return isHost && boot !== '-' && boot !== ownBoot && pids === outermost && ownPids === outermost;
}

/**
 * Whether a process that a space names is known to be dead. What another machine or container of the same host name runs cannot be seen
 * from here, and counts as alive.
 */
export function isKnownDead({ space, ...process }: ProcessRef & { space: string }): boolean {
  return isOtherSpace(space) ? isBeforeReboot(space) : !isAlive(process);
}

function installation(): string {
  const id = wordIn('/etc/machine-id');
  return id === '-' ? id : createHash('sha256').update(id).digest('hex').slice(0, 12);
}

function wordIn(file: string): string {
  try {
    return readFileSync(file, 'latin1').trim() || '-';
  } catch {
    return '-';
  }
}
