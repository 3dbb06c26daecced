import type { Attempt, Run, Task } from '@baton/task-store';

import type { AddCommands } from '../cli.ts';
import { formatUsd, table } from '../format.ts';
import { allTasks, pickRun, withStore, type RepoOption } from '../with-store.ts';

interface CostRow {
  key: string;
  attempts: number;
  inputTokens: number;
  outputTokens: number;
  costMicroUsd: number;
  /** True when an agent did not report all of it. */
  estimated: boolean;
}

/** `baton cost`: tokens and money of a run, by task. */
export const addCost: AddCommands = (program, define) => {
  const command = program
    .command('cost')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('show tokens and money of a run, by task')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton cost\n  $ baton cost tidy-7k2f --json');
  define(command, async (call, reference: string | undefined, options: RepoOption) => {
    const { run, rows } = await withStore(call, options, async (stored) => {
      const found = await pickRun(stored, reference);
      const tasks = await allTasks(stored.store, found.id);
      return { run: found, rows: costRows(tasks, await stored.store.listAttempts({ runId: found.id })) };
    });
    const view = {
      runId: run.id,
      costMicroUsd: run.spentMicroUsd,
      budgetMicroUsd: run.budgetMicroUsd,
      tasks: rows,
    };
    call.out.result(view, (colors) =>
      [
        table(
          colors,
          ['task', 'attempts', 'tokens in', 'tokens out', 'cost'],
          rows.map((row) => [
            row.key,
            String(row.attempts),
            String(row.inputTokens),
            String(row.outputTokens),
            `${formatUsd(row.costMicroUsd)}${row.estimated ? ' (estimated)' : ''}`,
          ]),
        ),
        totalLine(run),
      ].join('\n'),
    );
  });
};

/** Sums the attempts of each task, in the order of the plan. */
export function costRows(tasks: readonly Task[], attempts: readonly Attempt[]): CostRow[] {
  const byTask = Map.groupBy(attempts, (attempt) => attempt.taskId);
  return tasks.map((task) => {
    const own = byTask.get(task.id) ?? [];
    const sum = (of: (attempt: Attempt) => number) => own.reduce((total, attempt) => total + of(attempt), 0);
    return {
      key: task.key,
      attempts: own.length,
      inputTokens: sum((attempt) => attempt.inputTokens),
      outputTokens: sum((attempt) => attempt.outputTokens),
      costMicroUsd: sum((attempt) => attempt.costMicroUsd),
      estimated: own.some((attempt) => attempt.costEstimated),
    };
  });
}

function totalLine(run: Run): string {
  const budget =
    run.budgetMicroUsd === null
      ? 'no budget is set'
      : `budget ${formatUsd(run.budgetMicroUsd)}, reserved ${formatUsd(run.reservedMicroUsd)}`;
  return `${run.slug} cost ${formatUsd(run.spentMicroUsd)} so far; ${budget}.`;
}
