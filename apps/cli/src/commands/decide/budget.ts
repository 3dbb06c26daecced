import { budgetRefusal, type Run } from '@baton/task-store';

import { carryLine } from '../../look/carry-line.ts';
import type { AddCommands } from '../../terminal/call.ts';
import { formatAmount } from '../../terminal/format.ts';
import { capOf } from '../../terminal/option-values.ts';
import { runWord } from '../../terminal/status-words.ts';
import { operator, pickRun, withStore, type RepoOption, type Stored } from '../../project/with-store.ts';

interface BudgetOptions extends RepoOption {
  reason: string;
  dryRun?: boolean;
}

/** `baton budget`: raises, lowers or lifts what a run may spend. */
export const addBudget: AddCommands = (program, define) => {
  const command = program
    .command('budget')
    .argument(
      '<usd>',
      'US dollars in all, such as 10 or 2.50, with what is spent already; "none" lifts it',
      capOf,
    )
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('raise, lower or lift what a run may spend')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--reason <text>', 'why, for the record', 'set on the command line')
    .option('--dry-run', 'say what would change')
    .addHelpText(
      'after',
      "\nTasks that waited for money start at once where workers are up (`baton up`), else with `baton run --resume`.\nFrom 95 % on nothing new begins, so leave some room. Less than is spent and reserved is refused. The change is in\nthe run's history, which `baton verify-audit` checks.\n\nExamples:\n  $ baton cost\n  $ baton budget 10\n  $ baton budget none tidy-7k2f --reason 'the release is worth it'",
    );
  define(command, async (call, ...given: [number | null, string | undefined, BudgetOptions]) => {
    const [capMicroUsd, reference, options] = given;
    const dryRun = options.dryRun === true;
    const { before, after, next } = await withStore(call, options, async (stored) => {
      const found = await pickRun(stored, reference);
      const refusal = dryRun ? budgetRefusal(found, capMicroUsd) : null;
      if (refusal !== null) throw refusal;
      if (dryRun) return { before: found, after: { ...found, budgetMicroUsd: capMicroUsd }, next: null };
      const by = operator(call, options.reason);
      const set = await stored.store.runs.setBudget(found.id, { ...by, capMicroUsd });
      return { before: found, after: set, next: await nextOf(stored, set) };
    });
    const result = {
      dryRun,
      runId: after.id,
      status: after.status,
      fromMicroUsd: before.budgetMicroUsd,
      toMicroUsd: after.budgetMicroUsd,
      spentMicroUsd: after.spentMicroUsd,
      reservedMicroUsd: after.reservedMicroUsd,
      next: next && call.out.hints(next),
    };
    call.out.result(result, (colors) => {
      const change = `${capText(before.budgetMicroUsd)} → ${capText(after.budgetMicroUsd)}`;
      const used = `spent ${formatAmount(after.spentMicroUsd)}, reserved ${formatAmount(after.reservedMicroUsd)}`;
      return dryRun
        ? `Would change the budget of ${after.slug}: ${change}; ${used}.`
        : [
            `Budget of ${after.slug}: ${change}; ${used}. The run is ${runWord(after.status, colors)}.`,
            ...(result.next === null ? [] : [result.next]),
          ].join('\n');
    });
  });
};

/** What is due after a change of what a run may spend: the reason why it still waits, or the command that carries it on. */
async function nextOf(stored: Stored, run: Run): Promise<string | null> {
  if (run.status === 'waiting') return run.statusReason && `It waits: ${run.statusReason}.`;
  return carryLine(stored, { run, workers: await stored.store.workers.list() });
}

const capText = (capMicroUsd: number | null): string =>
  capMicroUsd === null ? 'none' : formatAmount(capMicroUsd);
