import type { ExpectedConflict, Task } from '@baton/task-store';

import type { Colors } from '../terminal/colors.ts';
import { oneLine } from '../terminal/format.ts';

/** `shared.txt, other.txt and 3 more`; names come from agents. */
function filesText({ files, more }: ExpectedConflict): string {
  const shown = files.slice(0, 5).map((file) => oneLine(file, 100));
  const rest = files.length - shown.length + more;
  return `${shown.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}

/** The other side of a conflict, by the name that a command takes. */
const otherOf = ({ with: other, target }: ExpectedConflict): string =>
  other === null ? `the target ${target}` : other.sameRun ? other.key : `${other.run}/${other.key}`;

/** What `baton explain` says of one: a sentence. */
export function expectedText(conflict: ExpectedConflict): string {
  const { with: other } = conflict;
  const what = `its work so far conflicts with ${other === null ? '' : 'that of '}${otherOf(conflict)} in ${filesText(conflict)}`;
  const next = other === null ? 'it is done again from there' : 'the one that lands second is done again';
  return `${what}; if it stays so, ${next}`;
}

/** Each conflict once, under the first of its tasks. */
function eachOnce(conflicts: readonly ExpectedConflict[]): ExpectedConflict[] {
  const told = new Set<string>();
  return conflicts.filter((conflict) => {
    const pair = pairOf(conflict);
    return told.has(pair) ? false : told.add(pair);
  });
}

const pairOf = ({ taskId, with: other }: ExpectedConflict): string =>
  [taskId, other?.taskId ?? ''].sort().join(' ');

/** `! a and b will conflict in shared.txt.` for each pair; nothing where none would. */
export function expectedLines(
  conflicts: readonly ExpectedConflict[],
  { tasks, colors }: { tasks: readonly Pick<Task, 'id' | 'key'>[]; colors: Colors },
): string[] {
  const keys = new Map(tasks.map(({ id, key }) => [id, key]));
  return eachOnce(conflicts).map((conflict) =>
    colors.yellow(
      `! ${keys.get(conflict.taskId) ?? conflict.taskId} conflicts so far with ${otherOf(conflict)} in ${filesText(conflict)}.`,
    ),
  );
}

/** The conflicts that were not expected a moment ago, as news of the first of their tasks. */
export function newlyExpected(
  before: readonly ExpectedConflict[],
  after: readonly ExpectedConflict[],
): { taskId: string; text: string }[] {
  const known = new Set(before.map(pairOf));
  return eachOnce(after)
    .filter((conflict) => !known.has(pairOf(conflict)))
    .map((conflict) => ({
      taskId: conflict.taskId,
      text: `conflicts so far with ${otherOf(conflict)} in ${filesText(conflict)}`,
    }));
}
