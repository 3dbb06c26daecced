import { BatonError } from '@baton/contracts';

const fullId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Refuses what is no full id of an object: a name means another commit once its ref moves, an empty text or zeros mean "delete" to git, and a
 * line break begins another command of `update-ref --stdin`.
 * @throws INVALID_INPUT naming the option
 */
export function requireFullIds(ids: Readonly<Record<string, unknown>>): void {
  for (const [at, id] of Object.entries(ids)) {
    if (typeof id === 'string' && fullId.test(id) && !/^0+$/.test(id)) continue;
    const said = typeof id === 'string' ? JSON.stringify(id.slice(0, 80)) : String(id);
    throw new BatonError('INVALID_INPUT', `\`${at}\` must be the full id of a commit, not ${said}.`, {
      at,
      fix: 'Give what `git rev-parse --verify NAME^{commit}` prints.',
    });
  }
}
