import { BatonError } from '@baton/contracts';
import type { Run, Task } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import { count, listed } from '../../terminal/format.ts';
import { pickTask } from '../../project/pick-task.ts';
import { allTasks, operator, withStore, type RepoOption, type Stored } from '../../project/with-store.ts';

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
      const cancelled = await withStore(call, options, async (stored) => {
        const { store } = stored;
        const found = await findTaskOrRun(stored, reference);
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

/**
 * What is cancelled cannot be tried again: the start of a run's name is not enough, and a name of both a run and a task is neither.
 * @throws NOT_FOUND, AMBIGUOUS
 */
async function findTaskOrRun(stored: Stored, reference: string): Promise<{ task: Task } | { run: Run }> {
  const run = await stored.store.runs.find(reference).catch(ifUnknown);
  const isWhole = run !== null && [run.id, run.slug].includes(reference);
  const can = ({ settled, cancelRequested }: Task): boolean => !settled && !cancelRequested;
  const task = await pickTask(stored, reference, { can }).catch((error: unknown) => {
    if (BatonError.is(error, 'NOT_FOUND') && isWhole) return null;
    if (!BatonError.is(error, 'NOT_FOUND') || run === null) throw error;
    throw new BatonError('NOT_FOUND', `There is no task "${reference}", nor a run of exactly that name.`, {
      fix: `To end the run ${run.slug} with all of its tasks, say \`baton cancel ${run.slug}\`.`,
      cause: error,
    });
  });
  if (task === null && run !== null) return { run };
  if (task !== null && !isWhole) return { task };
  const of = task && (await stored.store.runs.get(task.runId));
  throw new BatonError('AMBIGUOUS', `"${reference}" is a run and a task.`, {
    fix: `Name the task as ${of?.slug ?? '<run>'}/${reference}, or the run by its id: \`baton cancel ${run?.id ?? '<id>'}\`.`,
  });
}

function ifUnknown(error: unknown): null {
  if (BatonError.is(error, 'NOT_FOUND') || BatonError.is(error, 'AMBIGUOUS')) return null;
  throw error;
}
