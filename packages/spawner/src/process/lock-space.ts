import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { pidNamespace } from './process-table.ts';

/** What Linux names the namespace of pids that is no container's. */
const outermost = '4026531836';

let own: string | undefined;
/** Where a pid of this process has its meaning, as one line: host, boot and namespace of pids. A folder may be shared with other hosts and containers. */
export function ownSpace(): string {
  own ??= [hostname().replace(/\s+/g, '_') || '-', bootId(), pidNamespace()].join(' ');
  return own;
}

/** Whether pids of a space mean nothing here. One that an older version did not name counts as this one. */
export function isOtherSpace(space: string | undefined): boolean {
  return space !== undefined && space !== '' && space !== ownSpace();
}

/** Host of a space, for people. */
export function hostOf(space: string): string {
  return space.split(' ')[0] ?? space;
}

/** True when all processes of a space are known to be dead: it is this host, outside of all containers, before it was started again. */
export function isBeforeReboot(space: string, now = ownSpace()): boolean {
  const [host, boot = '-', pids] = space.split(' ');
  const [ownHost, ownBoot, ownPids] = now.split(' ');
  return host === ownHost && boot !== '-' && boot !== ownBoot && pids === outermost && ownPids === outermost;
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '-';
  }
}
