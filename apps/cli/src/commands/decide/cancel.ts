import { BatonError } from '@baton/contracts';
import type { Run, Store, Task } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import { count, listed } from '../../terminal/format.ts';
import { pickTask } from '../../project/pick-task.ts';
import { allTasks, operator, withStore, type RepoOption } from '../../project/with-store.ts';

/** `baton cancel`: ends a task, or all of a run that is not settled. */
export const addCancel: AddCommands = (program, define) => {
  const command = program
    .command('cancel')
    .argument('<task-or-run>', 'key, run/key or id of a task, or id or slug of a run')
    .description(
      'end a task, or everything of a run that is not settled; agents are stopped, their work is kept',
    )
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--reason <text>', 'why, for the record', 'cancelled on the command line')
    .option('--dry-run', 'say what would be cancelled')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton cancel changelog --reason "not needed any more"\n  $ baton cancel tidy-7k2f --dry-run',
    );
  define(
    command,
    async (call, reference: string, options: RepoOption & { reason: string; dryRun?: boolean }) => {
      const cancelled = await withStore(call, options, async ({ store }) => {
        const found = await findTaskOrRun(store, reference);
        const tasks = 'task' in found ? [found.task] : await allTasks(store, found.run.id);
        const affected = tasks.filter(({ settled }) => !settled);
        if (options.dryRun) return affected;
        if ('task' in found) await store.tasks.cancel(found.task.id, operator(call, options.reason));
        else await store.runs.cancel(found.run.id, operator(call, options.reason));
        return affected;
      });
      const keys = cancelled.map((task) => task.key);
      call.out.result({ dryRun: options.dryRun === true, cancelled: keys }, () =>
        keys.length === 0
          ? 'Nothing is left to cancel.'
          : `${options.dryRun ? 'Would cancel' : 'Cancelling'} ${count(keys.length, 'task')}: ${listed(keys)}`,
      );
    },
  );
};

/** @throws NOT_FOUND naming both readings, AMBIGUOUS */
async function findTaskOrRun(store: Store, reference: string): Promise<{ task: Task } | { run: Run }> {
  try {
    return { run: await store.runs.find(reference) };
  } catch (error) {
    if (!BatonError.is(error, 'NOT_FOUND')) throw error;
  }
  try {
    return { task: await pickTask(store, reference) };
  } catch (error) {
    if (!BatonError.is(error, 'NOT_FOUND')) throw error;
    throw new BatonError('NOT_FOUND', `There is no task or run "${reference}".`, {
      fix: 'See `baton runs` and `baton tasks`.',
      cause: error,
    });
  }
}
