import { BatonError } from '@baton/contracts';

/** Most time for a push or a listing of refs. */
export const pushTimeoutMs = 5 * 60_000;
/** Most time for a fetch. */
export const fetchTimeoutMs = 10 * 60_000;

/** The beginning of a fetch that touches nothing but what it names. */
export const fetch = [
  ...['-c', 'protocol.version=2', 'fetch', '--quiet', '--no-tags', '--no-write-fetch-head'],
  ...['--no-auto-maintenance', '--no-recurse-submodules'],
];
/** The beginning of a push that runs no hooks. */
export const push = ['push', '--quiet', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'];

/** A ref of an attempt or of what was saved of it, checked. @throws REF_INVALID for any other ref */
export function ownRef(ref: string): string {
  if (/^refs\/baton\/(attempts|salvage|left-out)\/\w[\w-]*\/\w[\w.-]*$/.test(ref) && !ref.includes('..'))
    return ref;
  throw new BatonError('REF_INVALID', `"${ref}" is not the ref of an attempt or a salvage.`, {
    fix: 'Pass what keepAttempt or salvage returned.',
  });
}
