import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Where a pid has its meaning: two processes see each other's pids only if all of it is the same. */
export interface Machine {
  host: string;
  /** Of the installation, hashed: hosts may have the same name; `-` where it has none. */
  id: string;
  /** Changes at every boot. */
  boot: string;
  /** Namespace of pids: containers have one each. */
  space: string;
}

/** What Linux names the namespace that is no container's. */
const outermostSpace = '4026531836';

let own: Machine | undefined;
/** The machine of this process. */
export function thisMachine(): Machine {
  own ??= {
    host: wordOf(hostname()),
    id: hashed(read(() => readFileSync('/etc/machine-id', 'latin1'))),
    boot: wordOf(read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))),
    space: wordOf(read(() => readlinkSync('/proc/self/ns/pid')).replace(/\D/g, '')),
  };
  return own;
}

/** One line that names a machine. */
export function formatMachine({ host, id, boot, space }: Machine): string {
  return `${host} ${boot} ${space} ${id}`;
}

/** Reads {@link formatMachine} back; what is no such line names a machine that is no other's. */
export function parseMachine(line: string): Machine {
  const [host = '', boot = '', space = '', id = '-'] = line.trim().split(' ');
  return { host: host === '' ? 'unknown' : host, id, boot, space };
}

/** A short word for a machine. Its name is a part only where its system names no boot: a host may get another name at any time. */
export function machineKey({ host, boot, space }: Machine): string {
  return hashed(boot === '-' ? `${host} ${space}` : `${boot} ${space}`);
}

/** True when all processes of the other are known to be dead: it is this host, outside of all containers, before it was started again. */
export function isBeforeReboot(other: Machine, now: Machine): boolean {
  const areOutside = [other, now].every(({ space }) => space === outermostSpace);
  const isHost = other.host === now.host && other.id !== '-' && other.id === now.id;
  return areOutside && isHost && other.boot !== '-' && other.boot !== now.boot;
}

const hashed = (text: string): string =>
  text.trim() === '' ? '-' : createHash('sha256').update(text.trim()).digest('hex').slice(0, 12);

const wordOf = (text: string): string => text.trim().replace(/\s+/g, '_') || '-';

/** Empty where the system does not say. */
function read(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}
