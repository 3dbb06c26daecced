import { BatonError, microUsd } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import { queryOne, type Db } from '../db/query.ts';
import { jsonText } from '../db/json-text.ts';
import { dollars } from '../decide/budget-room.ts';
import { settleRun } from '../apply/move-run.ts';
import { runOf } from '../read/runs.ts';
import { setBudgetStatement } from './set-budget.sql.ts';

/** Sets what a run may spend. Source: docs/spec/routing-and-cost.md#budgets. */
export const setBudget =
  (db: Db): Store['runs']['setBudget'] =>
  async (runId, { capMicroUsd, actor, reason, commandId }) => {
    if (!microUsd.nullable().safeParse(capMicroUsd).success)
      throw new BatonError(
        'INVALID_INPUT',
        `A budget is whole micro-dollars from 0 on, not ${capMicroUsd}.`,
        {
          at: 'capMicroUsd',
          fix: 'Give micro-dollars (5 US dollars are 5000000), or null for no budget.',
        },
      );
    const run = await runOf(db, runId);
    const command = commandId === undefined ? {} : { command: { id: commandId } };
    const request = { run_id: runId, cap: capMicroUsd, actor, reason, ...command };
    const answer = (await queryOne(db, setBudgetStatement, [jsonText(request)]))?.answer;
    if (answer?.ok === false) {
      const { spent, reserved } = answer;
      throw new BatonError(
        'BUDGET_EXCEEDED',
        `The budget of ${run.slug} cannot be ${dollars(capMicroUsd ?? 0)}: ${dollars(spent)} are spent and ${dollars(reserved)} are reserved by tasks at work.`,
        {
          at: run.slug,
          fix: `Give at least ${dollars(spent + reserved)}${reserved === 0 ? '' : ', or let less be at work first: `baton pause`, or `baton cancel`'}.`,
          details: { spentMicroUsd: spent, reservedMicroUsd: reserved },
        },
      );
    }
    db.wake('events');
    db.wake('work');
    return settleRun(db)(runId);
  };
