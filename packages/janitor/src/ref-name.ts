import { BatonError, isBranchName } from '@baton/contracts';

/**
 * A branch name as git accepts it (git-check-ref-format(1)), so that a name from a plan can never be an option or reach another ref.
 * @throws REF_INVALID
 */
export function branchName(name: string): string {
  if (!isBranchName(name)) {
    throw new BatonError('REF_INVALID', `"${name}" is not a valid branch name.`, {
      fix: 'Give a plain branch name such as main or baton/tidy.',
      at: 'target',
    });
  }
  return name;
}

/** The full ref of a branch. @throws REF_INVALID */
export function branchRef(name: string): string {
  return `refs/heads/${branchName(name)}`;
}

/**
 * The ref that carries the epoch of a lane, one per (store, target) in the target repository (docs/spec/landing.md#lanes).
 * @throws REF_INVALID
 */
export function laneRefName(storeId: string, target: string): string {
  return `refs/baton/lane/${branchName(storeId)}/${branchName(target)}`;
}

/** The ref that keeps a candidate alive between its intent and its confirmation. @throws REF_INVALID */
export function landingRefName(landingId: string): string {
  return `refs/baton/landing/${branchName(landingId)}`;
}

/** The ref under which a person can look at a candidate that waits for their word. @throws REF_INVALID */
export function candidateRefName(name: string): string {
  return `refs/baton/candidate/${branchName(name)}`;
}
