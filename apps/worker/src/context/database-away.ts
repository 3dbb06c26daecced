import type { ErrorCode } from '@baton/contracts';

/** A statement that ended so had no effect, says nothing about the work, and may succeed later. */
export const databaseAway: readonly ErrorCode[] = [
  'DATABASE_UNREACHABLE',
  'DATABASE_READ_ONLY',
  'DATABASE_INTERRUPTED',
];
