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

/**
 * Settings of a merge that a user's `branch.<name>.mergeOptions` or `pull.twohead` could set otherwise, for {@link mergeVariables}: another
 * strategy, such as `ours`, makes a merge commit without the work even where only a fast-forward is allowed.
 */
export const fixedMergeSettings = (branch: string): string[] => [
  `--config-env=branch.${branch}.mergeOptions=BATON_NO_OPTIONS`,
  ...['-c', 'pull.twohead=ort'],
];

/** Variables of a git that has {@link fixedMergeSettings}. */
export const mergeVariables = { BATON_NO_OPTIONS: '' } as const;
