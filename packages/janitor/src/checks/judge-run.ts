import type { PlaceRun } from '@baton/contracts';

/** What a command may do to the tree: nothing, or (a gate that `may_write`) change tracked files, once. */
export type MayWrite = 'never' | 'now' | 'before';

const shown = 5;

/**
 * Decides what a command's run means. Exit code 0 in time is a yes only for the tree as it was: a command that changes tracked files has
 * checked another tree than the one that would land. Pure.
 *
 * @returns `wrote`: the changes count as work, and the result has to be judged.
 */
export function judgeRun(
  run: PlaceRun,
  { ended, mayWrite }: { ended: string; mayWrite: MayWrite },
): { passed: boolean; reason: string; wrote: boolean } {
  const passed = run.exitCode === 0 && !run.timedOut && !run.aborted && run.spawnError === undefined;
  const files = list(run.changed);
  if (run.changed.length > 0) {
    if (passed && mayWrite === 'now')
      return { passed: true, reason: `${ended} and changed ${files}`, wrote: true };
    const why =
      mayWrite === 'before'
        ? 'its own result, so no tree passes it; correct the gate'
        : 'so this is not the tree that would land; commit what it changes, or set may_write: true on the gate';
    return { passed: false, reason: `${ended} and changed tracked files (${files}), ${why}`, wrote: false };
  }
  const dropped = run.left.length === 0 ? '' : `; what it wrote was dropped (${list(run.left)})`;
  return { passed, reason: `${ended}${passed ? dropped : ''}`, wrote: false };
}

function list(paths: readonly string[]): string {
  const more = paths.length - shown;
  return `${paths.slice(0, shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
