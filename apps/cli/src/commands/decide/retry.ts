import { BatonError } from '@baton/contracts';
import type { Store, Task } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import { carryOnLines } from '../../look/decide.ts';
import { wordsGiven } from '../../terminal/persons-words.ts';
import { pickTask } from '../../project/pick-task.ts';
import { taskWord } from '../../terminal/status-words.ts';
import { operator, withStore, type RepoOption } from '../../project/with-store.ts';

interface Options extends RepoOption {
  reason: string;
  say?: string;
  dryRun?: boolean;
}

/** `baton retry`: grants a failed task one more try, or unblocks a blocked one. */
export const addRetry: AddCommands = (program, define) => {
  const command = program
    .command('retry')
    .argument('<task>', 'key, run/key or id')
    .description('grant a failed task one more try (reopens its run), or unblock a blocked one')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--say <words>', 'what the next try should know: it goes into its prompt')
    .option('--reason <text>', 'why, for the record', 'retried on the command line')
    .option('--dry-run', 'say what would happen')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton retry changelog && baton run --resume\n  $ baton retry changelog --say "the formal form, please"',
    );
  define(command, async (call, reference: string, options: Options) => {
    const say = wordsGiven(options.say);
    const { before, after, next } = await withStore(call, options, async (stored) => {
      const { store } = stored;
      const task = await pickTask(stored, reference, { can: canRetry });
      const why = await notToRetry(store, task);
      if (why !== null) throw why;
      if (options.dryRun) return { before: task, after: task, next: [] };
      const by = { ...operator(call, options.reason), say };
      const moved =
        task.status === 'BLOCKED'
          ? await store.tasks.unblock(task.id, by)
          : await store.tasks.retry(task.id, by);
      return { before: task, after: moved, next: await carryOnLines(stored, [moved]) };
    });
    call.out.result(
      {
        dryRun: options.dryRun === true,
        key: after.key,
        from: before.status,
        to: after.status,
        next: next[0] ?? null,
      },
      (colors) =>
        options.dryRun
          ? `Would grant ${after.key} (${taskWord(before.status, colors)}) one more try.`
          : [
              `${after.key} has one more try${say === undefined ? '.' : ', and your words go into its prompt.'}`,
              ...next,
            ].join(' '),
    );
  });
};

const canRetry = ({ status }: Task): boolean => status === 'FAILED' || status === 'BLOCKED';

/** Null: it can be retried. */
async function notToRetry(store: Store, task: Task): Promise<BatonError | null> {
  const { key, runId, status } = task;
  const run = await store.runs.get(runId);
  const slug = run?.slug ?? runId;
  if (canRetry(task) && run?.status !== 'cancelled') return null;
  if (canRetry(task))
    return new BatonError('CONFLICT', `Task ${key} belongs to ${slug}, which was cancelled.`, {
      fix: 'Start a new run with `baton run`.',
    });
  return new BatonError('CONFLICT', `Task ${key} of ${slug} is ${status}, not FAILED or BLOCKED.`, {
    fix: `\`baton explain ${slug}/${key}\` says what moves it.`,
  });
}
