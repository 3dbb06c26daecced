import { isBelow, type CheckContext, type Finding } from '../checks/check-context.ts';

/** `diff_within`: nothing outside these prefixes was changed. */
export function diffWithin(context: CheckContext, signal: { paths: readonly string[] }): Finding {
  const outside = context.changedPaths.filter(
    (path) => !signal.paths.some((prefix) => isBelow(path, prefix)),
  );
  if (outside.length === 0)
    return { passed: true, reason: `all changes are within ${signal.paths.join(', ')}` };
  const more = outside.length > 5 ? ` and ${outside.length - 5} more` : '';
  return {
    passed: false,
    reason: `${outside.slice(0, 5).join(', ')}${more} changed, outside ${signal.paths.join(', ')}`,
  };
}
