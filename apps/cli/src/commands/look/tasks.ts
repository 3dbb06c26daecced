import type { TaskStatus } from '@baton/fsm-core';
import type { Run, Task } from '@baton/task-store';
import { InvalidArgumentError } from 'commander';

import { typedHere } from '../../look/explained.ts';
import { carryOn, lookAtProcesses, notCarried } from '../../project/carriers.ts';
import type { AddCommands } from '../../terminal/call.ts';
import type { Colors } from '../../terminal/colors.ts';
import type { Output } from '../../terminal/output.ts';
import { nearest } from '../../terminal/nearest.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { oneLine, table } from '../../terminal/format.ts';
import { statusesNamed, taskStatusNames, taskWord } from '../../terminal/status-words.ts';
import { triesOf, triesText } from '../../terminal/tries.ts';
import { isRunOver, watchHelp, watchView } from '../../run/watch-view.ts';
import { allTasks, pickRun, withStore, type RepoOption, type Stored } from '../../project/with-store.ts';

/** `baton tasks`: the tasks of a run. */
export const addTasks: AddCommands = (program, define) => {
  const command = program
    .command('tasks')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('list the tasks of a run')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--status <status>', 'only tasks in this state: a word of the table, such as landed', statusOf)
    .option('-w, --watch', 'show them until the run is over, drawn again whenever something moves')
    .addHelpText(
      'after',
      `${watchHelp}\nExamples:\n  $ baton tasks\n  $ baton tasks tidy-7k2f --status failed --json\n  $ baton tasks --watch`,
    );
  define(command, async (call, reference: string | undefined, options: TasksOptions) =>
    withStore(call, options, async (stored, access) => {
      const { id } = await pickRun(stored, reference);
      const look = () => lookAtTasks(call.out, stored, { runId: id, status: options.status });
      if (options.watch) {
        const render = (view: TasksView, colors: Colors) =>
          [renderTasks(view, colors), ...(view.idle === null ? [] : [carryOn(view.idle)])].join('\n');
        return watchView(call, access, { look, data: dataOf, render, isOver: ({ run }) => isRunOver(run) });
      }
      const view = await look();
      call.out.result(dataOf(view), (colors) => renderTasks(view, colors));
      if (view.idle !== null) call.out.note(carryOn(view.idle));
      return exitCodes.ok;
    }),
  );
};

/** What is on screen, and what the API calls it. */
function statusOf(text: string): TaskStatus[] {
  const found = statusesNamed(text);
  if (found.length > 0) return found;
  const meant = nearest(text, taskStatusNames);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  throw new InvalidArgumentError(`It is one of ${taskStatusNames.join(', ')}.${hint}`);
}

interface TasksOptions extends RepoOption {
  status?: TaskStatus[];
  watch?: boolean;
}

interface TasksView {
  run: Run;
  tasks: Task[];
  /** No process carries the run on; null: one does, or none is needed. */
  idle: Awaited<ReturnType<typeof notCarried>>;
}

async function lookAtTasks(
  out: Output,
  stored: Stored,
  { runId, status }: { runId: string; status: TaskStatus[] | undefined },
): Promise<TasksView> {
  const { store } = stored;
  const run = await store.runs.find(runId);
  const looked = await lookAtProcesses(stored);
  const tasks = (await allTasks(store, run.id)).filter(
    (task) => status === undefined || status.includes(task.status),
  );
  const idle = await notCarried(store, { run, ...looked });
  return { run, tasks, idle: idle === null ? null : typedHere(out, idle) };
}

const dataOf = ({ run, tasks, idle }: TasksView) => ({
  runId: run.id,
  tasks: tasks.map((task) => ({ ...task, triesBegun: triesOf(task) })),
  notCarried: idle,
});

function renderTasks({ tasks }: TasksView, colors: Colors): string {
  if (tasks.length === 0) return 'No tasks.';
  return table(
    colors,
    ['task', 'status', 'tries', 'role', 'title'],
    tasks.map((task) => [
      task.key,
      taskWord(task.status, colors),
      triesText(task),
      task.role,
      oneLine(task.title, 60),
    ]),
  );
}
