import type { Attempt, Explanation, StoredVerdict, Task } from '@baton/task-store';

import { lookAtProcesses } from '../carriers.ts';
import type { AddCommands } from '../cli.ts';
import { deadlineLine } from '../deadline-line.ts';
import { costOf, costText } from '../cost-text.ts';
import { formatMs, oneLine, shortId, table } from '../format.ts';
import type { Colors } from '../colors.ts';
import { taskWord } from '../status-words.ts';
import { withStore, type RepoOption } from '../with-store.ts';

interface TaskView {
  task: Task;
  attempts: Attempt[];
  verdicts: StoredVerdict[];
  commit: string | null;
  /** How long the newest attempt may take, and why. */
  deadline: string | null;
  /** Why it does not move, and who moves it next. */
  explanation: Explanation;
}

/** `baton task`: everything about one task. */
export const addTask: AddCommands = (program, define) => {
  const command = program
    .command('task')
    .argument('<task>', 'key, run/key or id')
    .description('show one task with its attempts and verdicts')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--history', 'also every move of its state machine')
    .addHelpText('after', '\nExamples:\n  $ baton task changelog\n  $ baton task changelog --history');
  define(command, async (call, reference: string, options: RepoOption & { history?: boolean }) => {
    const view = await withStore(call, options, async ({ store }) => {
      const task = await store.findTask(reference);
      const { known } = await lookAtProcesses(store);
      const [attempts, verdicts, landings, explanation, history] = await Promise.all([
        store.attempts(task.id),
        store.verdicts(task.id),
        store.landings({ taskId: task.id }),
        store.explain(task.id, known),
        options.history ? store.history({ machine: 'task', entityId: task.id }) : [],
      ]);
      const attempt = attempts.at(-1);
      const sessions = await store.sessions({ runId: task.runId });
      const session = sessions.find(({ id }) => id === attempt?.sessionId);
      const deadline = deadlineLine(task, { attempt, session });
      return {
        task,
        attempts,
        verdicts,
        commit: landings.at(-1)?.commit ?? null,
        deadline,
        explanation,
        history,
      };
    });
    call.out.result(options.history ? view : { ...view, history: undefined }, (colors) =>
      [
        renderTask(view, colors),
        ...(view.history.length === 0 ? [] : ['']),
        ...view.history.map(
          (event) =>
            `${colors.dim(event.at.toISOString())}  ${(event.from ?? '·').padEnd(16)} → ${event.to.padEnd(16)} ${event.actor}: ${oneLine(event.reason, 80)}`,
        ),
      ].join('\n'),
    );
  });
};

/** A "no", and what a gate added to the work or left behind. */
function isWorthSaying(check: StoredVerdict['results'][number]): boolean {
  return !check.passed || check.name === 'written' || check.reason.includes('; what it wrote was dropped');
}

function renderTask(
  { task, attempts, verdicts, commit, deadline, explanation }: TaskView,
  colors: Colors,
): string {
  const checks = verdicts.at(-1)?.results ?? [];
  return [
    `${colors.bold(task.key)}  ${taskWord(task.status, colors)}  ${oneLine(task.title, 200)}`,
    ...(task.goal === task.title ? [] : [colors.dim(oneLine(task.goal, 200))]),
    `role ${task.role}, scope ${task.scope}, priority ${task.priority}, files ${task.files.join(' ') || 'any'}`,
    ...(commit === null ? [] : [`landed as ${colors.green(shortId(commit))}`]),
    ...(deadline === null ? [] : [deadline]),
    ...(explanation.cause === 'settled' ? [] : [whyLine(explanation)]),
    '',
    attempts.length === 0
      ? 'No attempt yet.'
      : table(
          colors,
          ['attempt', 'outcome', 'time', 'cost', 'what it said'],
          attempts.map((attempt) => [
            String(attempt.number),
            attempt.outcome ?? 'open',
            attempt.endedAt ? formatMs(attempt.endedAt.getTime() - attempt.createdAt.getTime()) : '–',
            costText(costOf([attempt])),
            oneLine(attempt.rejections.at(-1) ?? attempt.summary ?? '', 80),
          ]),
        ),
    ...attempts
      .filter((attempt) => attempt.salvageRef)
      .map((attempt) => `salvage of attempt ${attempt.number}: ${attempt.salvageRef}`),
    ...(checks.length === 0 ? [] : ['', 'Last verdict:']),
    ...checks.map(
      (check) =>
        `  ${check.passed ? colors.green('✔') : colors.red('✘')} ${check.name} ${colors.dim(`(${check.kind}${check.required ? '' : ', advisory'}${check.cached ? ', cached' : ''})`)}${isWorthSaying(check) ? ` ${oneLine(check.reason, 160)}` : ''}`,
    ),
  ].join('\n');
}

/** The cause, who acts next, and the command if there is one. */
function whyLine({ text, owner, unblock }: Explanation): string {
  const how = unblock === null ? '' : `; unblock: ${unblock}`;
  return `${oneLine(text, 300)} Next: ${owner}${how}`;
}
