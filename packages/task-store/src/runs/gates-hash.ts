import { createHash } from 'crypto';

/** Hash of what gates and signals check: part of a verdict's key. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
