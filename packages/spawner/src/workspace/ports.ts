import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { tryFileLock, type FileLock } from '../process/file-lock.ts';

const firstPort = 21_000;
const blockSize = 10;
const blocks = 900;

/** A block of ten TCP ports that no other workspace on this machine with the same folder has. */
export interface PortBlock {
  base: number;
  lock: FileLock;
}

/** Leases a block of ports: `base` to `base + 9`. @throws WORKSPACE_FAILED when all blocks are taken */
export function leasePorts(folder: string): PortBlock {
  for (let block = 0; block < blocks; block += 1) {
    const base = firstPort + block * blockSize;
    const lock = tryFileLock(path.join(folder, String(base)));
    if (lock !== null) return { base, lock };
  }
  throw new BatonError('WORKSPACE_FAILED', `All ${blocks} blocks of ports are taken.`, {
    fix: 'End some runs, or remove the folder that the blocks are kept in when none is running.',
    at: folder,
  });
}

/** Frees the blocks whose holders died. Those of living ones are left alone. */
export function recoverPorts(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) tryFileLock(path.join(folder, name))?.release();
}
