import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BatonError, type Log } from '@baton/contracts';

/** How systems say that something cannot be removed, moved or written: it is immutable, in use, mounted, or not ours. */
const stubborn = ['EPERM', 'EACCES', 'EBUSY', 'EROFS', 'EIO', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EISDIR'];

const markerOf = (slot: string): string => `${slot}.retired`;

/**
 * Takes a slot out of use until what lies in it can be removed. The marker lies beside it, since an immutable or mounted folder takes none.
 *
 * @throws WORKSPACE_FAILED when not even the marker can be written
 */
export function retireSlot(slot: string, { cause, log }: { cause: unknown; log: Log }): void {
  const reason = cause instanceof Error ? cause.message : String(cause);
  try {
    writeFileSync(markerOf(slot), reason);
  } catch (error) {
    throw unusable(path.dirname(slot), error);
  }
  log.warn('a worktree cannot be cleared: it is retired, and another takes its place', {
    path: slot,
    reason,
  });
}

/** Why a slot was retired; null: it was not. */
export function retiredReason(slot: string): string | null {
  const isThere = lstatSync(markerOf(slot), { throwIfNoEntry: false })?.isFile() === true;
  return isThere ? readFileSync(markerOf(slot), 'utf8') : null;
}

/** Puts a slot that was cleared into use again. */
export function unretireSlot(slot: string): void {
  rmSync(markerOf(slot), { force: true });
}

/** True when an error says that this slot, and not what was asked of it, is the reason. */
export function isStuck(error: unknown, slot: string): boolean {
  if (BatonError.is(error, 'WORKSPACE_FAILED')) return error.details?.['stuck'] === slot;
  const { code, path: file = '' } = error as { code?: unknown; path?: unknown };
  return (
    typeof code === 'string' &&
    stubborn.includes(code) &&
    typeof file === 'string' &&
    (file === slot || file.startsWith(`${slot}${path.sep}`))
  );
}

/** An error about a slot that {@link isStuck} knows, whatever file it is about. */
export function stuck(slot: string, cause: unknown): BatonError {
  return new BatonError(
    'WORKSPACE_FAILED',
    `The worktree ${slot} cannot be cleared: ${cause instanceof Error ? cause.message : String(cause)}.`,
    { fix: wayOut, at: slot, details: { stuck: slot }, cause },
  );
}

/** What is thrown when slot after slot cannot be used. */
export function unusable(folder: string, cause: unknown): BatonError {
  return new BatonError(
    'WORKSPACE_FAILED',
    `No worktree below ${folder} can be used: ${cause instanceof Error ? cause.message : String(cause)}.`,
    { fix: wayOut, at: folder, cause },
  );
}

const wayOut =
  'See that the state folder is writable, unmount what is mounted below it, and make what is immutable there removable (`chattr -R -i`).';
