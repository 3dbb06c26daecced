import type { Clock, Ids } from '@baton/contracts';
import { randomFillSync } from 'node:crypto';

const randomBytes = Buffer.alloc(4096);
let used = randomBytes.length;

/** Chance by the block: asking the system for each few bytes costs more than using them. */
export function chance(bytes: number): Buffer {
  if (used + bytes > randomBytes.length) {
    randomFillSync(randomBytes);
    used = 0;
  }
  used += bytes;
  return randomBytes.subarray(used - bytes, used);
}

/** UUIDs of version 7: 48 bits of milliseconds, then chance; ids sort by creation. */
export function timeOrderedIds(clock: Clock): Ids {
  return {
    uuid() {
      const bytes = chance(16);
      bytes.writeUIntBE(clock.now().getTime(), 0, 6);
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
      const hex = bytes.toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}
