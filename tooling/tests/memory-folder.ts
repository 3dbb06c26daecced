import { accessSync, chmodSync, constants, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';

const place = '/dev/shm';
/** The number of tmpfs, see statfs(2). */
const tmpfs = 0x01021994;
/** What the tests of two packages at a time keep there stays far below. */
const roomBytes = 4e9;
const memoryBytes = 8e9;

/**
 * A folder in memory for the temporary files of tests, which make and remove many small ones: ext4 takes a millisecond for each new file
 * while files of the last minute were removed. Undefined where there is none with enough room, where programs may not run in
 * it, or where its kernel (before 6.6) keeps no attributes of users there, which overlays need.
 */
export function memoryFolder(): string | undefined {
  if (process.platform !== 'linux' || kernel() < 6.006) return undefined;
  try {
    const { type, bavail, bsize } = statfsSync(place);
    const hasRoom = type === tmpfs && bavail * bsize > roomBytes && freeMemory() > memoryBytes;
    return hasRoom && runsPrograms() ? place : undefined;
  } catch {
    return undefined;
  }
}

/** As 6.018 for 6.18. */
function kernel(): number {
  const [major = 0, minor = 0] = release()
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  return major + minor / 1000;
}

function freeMemory(): number {
  const [, kilobytes = '0'] = /^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** No on a file system that is mounted with `noexec`. */
function runsPrograms(): boolean {
  const file = path.join(place, `baton-runs-${process.pid}`);
  try {
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, 0o700);
    accessSync(file, constants.X_OK);
    return true;
  } finally {
    rmSync(file, { force: true });
  }
}
