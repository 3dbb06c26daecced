import type { BatonError } from '@baton/contracts';
import { gitFailed } from '../run-git.ts';
import { isRemote, objectsOf, type TargetPlace } from './target-place.ts';

/** One ref of a transaction. `from` null: must not exist yet; `to` null: is deleted. */
export interface RefMove {
  ref: string;
  from: string | null;
  to: string | null;
}

/**
 * Moves all of the refs or none, each only from its known value. Null: done. Otherwise git's complaint, which does not say who lost
 * what: the caller reads the refs again, because an answer can be lost on its way after the refs moved.
 */
export async function moveRefs(place: TargetPlace, moves: readonly RefMove[]): Promise<BatonError | null> {
  const { args, stdin } = isRemote(place.repo)
    ? { args: remoteMove(place.repo, moves), stdin: '' }
    : localMove(moves);
  // The process that takes a push into a folder is a child of ours, too. Killed with us, it would leave the target locked permanently; what is pushed
  // late is refused by the lane.
  const finishes = place.repo.startsWith('file:');
  const result = await place.git(args, { cwd: objectsOf(place), stdin, finishes });
  return result.exitCode === 0 ? null : gitFailed(args, result);
}

/** The lines for `update-ref --stdin` that move the refs in one transaction. */
export function transaction(moves: readonly RefMove[]): string {
  // `create` means "must not exist": the all-zero id is as long as the repository's hash, 40 or 64 digits.
  const lines = moves.map(({ ref, from, to }) => {
    if (to !== null) return from === null ? `create ${ref} ${to}` : `update ${ref} ${to} ${from}`;
    return from === null ? `verify ${ref}` : `delete ${ref} ${from}`;
  });
  return ['start', ...lines, 'prepare', 'commit', ''].join('\n');
}

function localMove(moves: readonly RefMove[]): { args: string[]; stdin: string } {
  return { args: ['update-ref', '--stdin'], stdin: transaction(moves) };
}

function remoteMove(remote: string, moves: readonly RefMove[]): string[] {
  const leases = moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`);
  const specs = moves.map(({ ref, to }) => `${to ?? ''}:${ref}`);
  return [
    'push',
    '--quiet',
    '--atomic',
    '--no-verify',
    '--no-follow-tags',
    '--recurse-submodules=no',
    ...leases,
    remote,
    ...specs,
  ];
}
