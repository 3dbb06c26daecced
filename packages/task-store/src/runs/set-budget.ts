import { BatonError, microUsd } from '@baton/contracts';
import type { Store } from '../api/store.ts';
import type { Run } from '../model/run.ts';
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
      const { spent: spentMicroUsd, reserved: reservedMicroUsd } = answer;
      throw tooSmall({ slug: run.slug, spentMicroUsd, reservedMicroUsd }, capMicroUsd ?? 0);
    }
    db.wake('events');
    db.wake('work');
    return settleRun(db)(runId);
  };

type Used = Pick<Run, 'slug' | 'spentMicroUsd' | 'reservedMicroUsd'>;

/** Why a run as it was read cannot have this cap in micro-dollars (null: none); null: it can. Pure. */
export function budgetRefusal(run: Used, capMicroUsd: number | null): BatonError | null {
  const isEnough = capMicroUsd === null || capMicroUsd >= run.spentMicroUsd + run.reservedMicroUsd;
  return isEnough ? null : tooSmall(run, capMicroUsd);
}

function tooSmall({ slug, spentMicroUsd, reservedMicroUsd }: Used, capMicroUsd: number): BatonError {
  const used = `${dollars(spentMicroUsd)} are spent and ${dollars(reservedMicroUsd)} are reserved by tasks at work`;
  const orLess =
    reservedMicroUsd === 0 ? '' : ', or let less be at work first: `baton pause`, or `baton cancel`';
  return new BatonError(
    'BUDGET_EXCEEDED',
    `The budget of ${slug} cannot be ${dollars(capMicroUsd)}: ${used}.`,
    {
      at: slug,
      fix: `Give at least ${dollars(spentMicroUsd + reservedMicroUsd)}${orLess}.`,
      details: { spentMicroUsd, reservedMicroUsd },
    },
  );
}
