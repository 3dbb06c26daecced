import type { Clone, SalvagedTree } from '@baton/spawner';

/** A piece of saved work, and where it is. */
export interface Find {
  one: SalvagedTree & { key: string };
  clone: Clone;
}

/**
 * One of each where a crash left the same files of a task several times: committed for its attempt, and saved again from the worktree by
 * the process that found it. What names files that were left out says most; else the first of the list is kept.
 */
export async function withoutRepeats<F extends Find>(finds: readonly F[]): Promise<F[]> {
  const kept = new Map<string, F>();
  for (const [at, find] of finds.entries()) {
    const tree = await treeOf(find);
    const name = tree === null ? `${at}` : `${find.one.taskId} ${tree}`;
    const before = kept.get(name);
    if (before === undefined || (before.one.leftOut.length === 0 && find.one.leftOut.length > 0))
      kept.set(name, find);
  }
  const all = new Set<F>(kept.values());
  return finds.filter((find) => all.has(find));
}

/** The files of a worktree as it was left; null for an agent's own commits, which are shown one by one, and what is in no commit. */
async function treeOf({ one, clone }: Find): Promise<string | null> {
  if (one.commit === '' || one.kind === 'commit') return null;
  const { exitCode, stdout } = await clone.git(['rev-parse', '--verify', '--quiet', `${one.commit}^{tree}`], {
    cwd: clone.path,
  });
  return exitCode === 0 ? stdout.trim() : null;
}
