/**
 * Options of a merge that a user's `branch.<name>.mergeOptions` or `merge.*` could set otherwise: it commits, squashes and stashes
 * nothing, and asks for no signatures, which commits of Baton do not have.
 */
export const fixedMergeOptions = [
  '--commit',
  '--no-squash',
  '--no-autostash',
  '--no-verify-signatures',
  '--no-stat',
  '--quiet',
] as const;
