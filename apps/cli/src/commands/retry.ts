import type { AddCommands } from '../cli.ts';
import { taskWord } from '../status-words.ts';
import { operator, withStore, type RepoOption } from '../with-store.ts';

/** `baton retry`: grants a failed task one more try, or lets a blocked one go on. */
export const addRetry: AddCommands = (program, define) => {
  const command = program
    .command('retry')
    .argument('<task>', 'key, run/key or id')
    .description('grant a failed task one more try (reopens its run), or let a blocked one go on')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--reason <text>', 'why, for the record', 'retried on the command line')
    .option('--dry-run', 'say what would happen')
    .addHelpText('after', '\nExamples:\n  $ baton retry changelog && baton run --resume');
  define(
    command,
    async (call, reference: string, options: RepoOption & { reason: string; dryRun?: boolean }) => {
      const { before, after } = await withStore(call, options, async ({ store }) => {
        const task = await store.findTask(reference);
        if (options.dryRun) return { before: task, after: task };
        const by = operator(call, options.reason);
        const moved =
          task.status === 'BLOCKED'
            ? await store.unblockTask(task.id, by)
            : await store.retryTask(task.id, by);
        return { before: task, after: moved };
      });
      call.out.result(
        { dryRun: options.dryRun === true, key: after.key, from: before.status, to: after.status },
        (colors) =>
          options.dryRun
            ? `Would grant ${after.key} (${taskWord(before.status, colors)}) one more try.`
            : `${after.key} is ${taskWord(after.status, colors)}. Carry the run on with \`baton run --resume\`.`,
      );
    },
  );
};
