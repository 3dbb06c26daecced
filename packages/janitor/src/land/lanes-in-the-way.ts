import { branchRef } from '../ref-name.ts';
import { gitText } from '../run-git.ts';
import { moveRefs, type RefMove } from './move-refs.ts';
import { isRemote, objectsOf, readRefs, type TargetPlace } from './target-place.ts';

/** The number of parts before the target's name: `refs/baton/lane/<store>`. */
const before = 4;

/**
 * Removes lane refs of the same store that keep a lane ref from being made, as `…/a` does for `…/a/b`. The target exists, so no branch
 * of theirs does: what a stalled holder would move there is gone.
 * @returns whether there were any
 * @throws GIT_FAILED
 */
export async function dropLanesInTheWay(
  place: TargetPlace & { target: string },
  ref: string,
): Promise<boolean> {
  const [head = null] = await readRefs(place, [branchRef(place.target)]);
  if (head === null) return false;
  const parts = ref.split('/');
  const above = parts.slice(before + 1).map((_, at) => parts.slice(0, before + 1 + at).join('/'));
  const ids = await readRefs(place, above);
  const found = above.flatMap((each, at): RefMove[] => [{ ref: each, from: ids[at] ?? null, to: null }]);
  const moves = [...found.filter(({ from }) => from !== null), ...(await below(place, ref))];
  if (moves.length === 0) return false;
  const failure = await moveRefs(place, moves);
  if (failure !== null) throw failure;
  return true;
}

async function below(place: TargetPlace, ref: string): Promise<RefMove[]> {
  const args = isRemote(place.repo)
    ? ['ls-remote', '--refs', place.repo, `${ref}/*`]
    : ['for-each-ref', '--format=%(objectname)%09%(refname)', `${ref}/`];
  const lines = (await gitText(place.git, args, { cwd: objectsOf(place) })).split('\n');
  return lines
    .map((line) => line.split('\t'))
    .flatMap(([from = '', name = '']) => (name.startsWith(`${ref}/`) ? [{ ref: name, from, to: null }] : []));
}
