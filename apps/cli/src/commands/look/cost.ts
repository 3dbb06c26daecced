import { costCsv, costReport, type CostGrouping, type CostRow } from '@baton/router-cost';
import type { Run } from '@baton/task-store';
import { Option } from 'commander';

import type { AddCommands } from '../../terminal/call.ts';
import { costOfRun, costText, knownCost } from '../../terminal/cost-text.ts';
import { formatAmount, formatUsd, table } from '../../terminal/format.ts';
import { allTasks, pickRun, withStore, type RepoOption } from '../../project/with-store.ts';

interface CostOptions extends RepoOption {
  by: CostGrouping;
  csv?: boolean;
}

/** `baton cost`: tokens and money of a run. */
export const addCost: AddCommands = (program, define) => {
  const command = program
    .command('cost')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('show tokens and money of a run, by task, role, model, agent or day')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addOption(
      new Option('--by <what>', 'what to add up by')
        .choices(['task', 'role', 'model', 'agent', 'day'])
        .default('task'),
    )
    .option('--csv', 'print CSV')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton cost\n  $ baton cost tidy-7k2f --by model --csv > cost.csv',
    );
  define(command, async (call, reference: string | undefined, options: CostOptions) => {
    const { run, rows } = await withStore(call, options, async (stored) => {
      const found = await pickRun(stored, reference);
      const keys = new Map((await allTasks(stored.store, found.id)).map((task) => [task.id, task.key]));
      const entries = await stored.store.streams.usageEntries({ runId: found.id });
      return {
        run: found,
        rows: costReport(entries, options.by).map((row) => ({ ...row, key: keys.get(row.key) ?? row.key })),
      };
    });
    const view = {
      runId: run.id,
      costMicroUsd: knownCost(costOfRun(run)),
      unmeasuredMicroUsd: run.unmeasuredMicroUsd,
      unmeasured: run.unmeasuredAttempts,
      budgetMicroUsd: run.budgetMicroUsd,
      by: options.by,
      rows: rows.map((row) => ({ ...row, costMicroUsd: knownCost(row) })),
    };
    call.out.result(view, (colors) => {
      if (options.csv) return costCsv(rows).trimEnd();
      return [
        table(colors, [options.by, 'tokens in', 'tokens out', 'cached', 'cost'], rows.map(costCells)),
        totalLine(run),
      ]
        .filter((part) => part !== '')
        .join('\n');
    });
  });
};

function costCells(row: CostRow): string[] {
  const guessed = row.estimatedMicroUsd - row.unmeasuredMicroUsd;
  const estimated = guessed > 0 ? ` (${formatUsd(guessed)} estimated)` : '';
  return [
    row.key,
    String(row.inputTokens),
    String(row.outputTokens),
    String(row.cacheReadTokens + row.cacheWriteTokens),
    `${costText(row)}${estimated}`,
  ];
}

function totalLine(run: Run): string {
  const budget =
    run.budgetMicroUsd === null
      ? 'no budget is set'
      : `budget ${formatAmount(run.budgetMicroUsd)}, reserved ${formatAmount(run.reservedMicroUsd)}`;
  const cost = costOfRun(run);
  const text = knownCost(cost) === 0 ? 'nothing' : costText(cost);
  return `${run.slug} cost ${text} so far; ${budget}.`;
}
