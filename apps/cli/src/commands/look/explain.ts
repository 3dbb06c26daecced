import { systemClock } from '@baton/service/system';
import type { Explanation, Task } from '@baton/task-store';

import { expectedText } from '../../look/expected.ts';
import { explainedHere } from '../../look/explained.ts';
import { lookAtProcesses } from '../../project/carriers.ts';
import type { AddCommands } from '../../terminal/call.ts';
import { formatMs, oneLine } from '../../terminal/format.ts';
import type { Colors } from '../../terminal/colors.ts';
import { noteOtherRuns, pickTask } from '../../project/pick-task.ts';
import { reasonRest } from '../../terminal/reason-text.ts';
import { taskWord } from '../../terminal/status-words.ts';
import { withStore, type RepoOption } from '../../project/with-store.ts';

/** `baton explain`: why a task does not move, and who or what moves it next. */
export const addExplain: AddCommands = (program, define) => {
  const command = program
    .command('explain')
    .argument('<task>', 'key, run/key or id')
    .description('say why a task does not move, and who or what moves it next')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton explain changelog\n  $ baton explain tidy-7k2f/changelog --json',
    );
  define(command, async (call, reference: string, options: RepoOption) => {
    const { task, explanation, runReason } = await withStore(call, options, async (stored) => {
      const { store } = stored;
      const found = await pickTask(stored, reference);
      await noteOtherRuns(call, stored, { task: found, reference });
      const { known } = await lookAtProcesses(stored);
      const explained = explainedHere(call.out, await store.tasks.explain(found.id, known));
      const run = explained.cause === 'run_paused' ? await store.runs.get(found.runId) : null;
      return { task: found, explanation: explained, runReason: run?.statusReason ?? null };
    });
    const view = { key: task.key, ...explanation, ...(runReason === null ? {} : { runReason }) };
    call.out.result(view, (colors) =>
      [
        renderExplanation({ task, explanation }, { colors, now: systemClock.now() }),
        ...reasonRest(runReason),
      ].join('\n'),
    );
  });
};

/** A few lines for people: state, why, who acts, when, how to unblock. */
export function renderExplanation(
  { task, explanation }: { task: Task; explanation: Explanation },
  { colors, now }: { colors: Colors; now: Date },
): string {
  const label = (text: string) => colors.dim(text.padEnd(9));
  return [
    `${colors.bold(task.key)}  ${taskWord(task.status, colors)}  ${oneLine(task.title, 200)}`,
    `${label('why')}${explanation.text}`,
    ...(explanation.settled ? [] : [`${label('next')}${explanation.owner}`]),
    ...(explanation.until
      ? [`${label('at')}${explanation.until.toISOString()}${fromNow(explanation.until, now)}`]
      : []),
    ...(explanation.unblock ? [`${label('unblock')}${explanation.unblock}`] : []),
    ...rootLines(explanation, label),
    ...explanation.expectedConflicts.map((conflict) => `${label('warning')}${expectedText(conflict)}`),
  ].join('\n');
}

/** The task that holds up the whole chain, and who moves it. */
function rootLines({ root }: Explanation, label: (text: string) => string): string[] {
  if (root === null) return [];
  const how = root.unblock === null ? '' : `; unblock: ${root.unblock}`;
  return [`${label('root')}${root.key}: ${root.text} Next: ${root.owner}${how}`];
}

/** ` (in 2m 5s)`; nothing for a time that has come: it is looked at again at once. */
function fromNow(until: Date, now: Date): string {
  const ms = until.getTime() - now.getTime();
  return ms > 0 ? ` (in ${formatMs(ms)})` : '';
}
