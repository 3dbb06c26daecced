import type { TaskStatus } from '@baton/fsm-core';
import { taskMachine } from '@baton/fsm-core';
import { Option } from 'commander';

import { carryOn, lookAtProcesses, notCarried } from '../carriers.ts';
import type { AddCommands } from '../cli.ts';
import { oneLine, table } from '../format.ts';
import { taskWord } from '../status-words.ts';
import { triesOf, triesText } from '../tries.ts';
import { allTasks, pickRun, withStore, type RepoOption } from '../with-store.ts';

/** `baton tasks`: the tasks of a run. */
export const addTasks: AddCommands = (program, define) => {
  const command = program
    .command('tasks')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('list the tasks of a run')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addOption(
      new Option('--status <status>', 'only tasks in this state')
        .choices(taskMachine.states)
        .argParser((text: string) => text.toUpperCase()),
    )
    .addHelpText('after', '\nExamples:\n  $ baton tasks\n  $ baton tasks tidy-7k2f --status FAILED --json');
  define(
    command,
    async (call, reference: string | undefined, options: RepoOption & { status?: TaskStatus }) => {
      const { run, tasks, idle } = await withStore(call, options, async (stored) => {
        const found = await pickRun(stored, reference);
        const looked = await lookAtProcesses(stored.store);
        return {
          run: found,
          tasks: await allTasks(stored.store, found.id),
          idle: await notCarried(stored.store, { run: found, ...looked }),
        };
      });
      const shown = options.status ? tasks.filter((task) => task.status === options.status) : tasks;
      const data = shown.map((task) => ({ ...task, triesBegun: triesOf(task) }));
      call.out.result({ runId: run.id, tasks: data, notCarried: idle }, (colors) =>
        shown.length === 0
          ? 'No tasks.'
          : table(
              colors,
              ['task', 'status', 'tries', 'role', 'title'],
              shown.map((task) => [
                task.key,
                taskWord(task.status, colors),
                triesText(task),
                task.role,
                oneLine(task.title, 60),
              ]),
            ),
      );
      if (idle !== null) call.out.note(carryOn(idle));
    },
  );
};
