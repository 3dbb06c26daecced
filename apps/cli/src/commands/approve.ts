import { BatonError } from '@baton/contracts';
import type { Approval, Store } from '@baton/task-store';

import type { AddCommands } from '../cli.ts';
import { shortId, table } from '../format.ts';
import { operator, withStore, type RepoOption } from '../with-store.ts';

interface Options extends RepoOption {
  reason: string;
  dryRun?: boolean;
}

/** `baton approve` and `baton reject`: a person's word on finished work. */
export const addApprove: AddCommands = (program, define) => {
  for (const verb of ['approve', 'reject'] as const) {
    const command = program
      .command(verb)
      .argument('[task]', 'key, run/key or id; without it, lists what waits for your word')
      .description(
        verb === 'approve'
          ? 'say yes to finished work that waits for a person'
          : 'say no to finished work that waits for a person',
      )
      .option('--repo <path>', 'the repository, if it is not the current folder')
      .option('--reason <text>', 'why, for the record', `${verb} on the command line`)
      .option('--dry-run', 'say what it would be')
      .addHelpText('after', `\nExamples:\n  $ baton ${verb}\n  $ baton ${verb} changelog --reason "read it"`);
    define(command, async (call, reference: string | undefined, options: Options) => {
      const waiting = await withStore(call, { ...options, whenEmpty: () => [] }, async ({ store }) => {
        const approvals = await store.approvals({ status: 'waiting' });
        if (reference === undefined) return withKeys(store, approvals);
        const task = await store.findTask(reference);
        const approval = approvals.find((item) => item.taskId === task.id);
        if (!approval) throw noneWaits(reference);
        if (!options.dryRun) {
          const decision = {
            ...operator(call, options.reason),
            approve: verb === 'approve',
            nonce: approval.nonce,
          };
          await store.decideApproval(approval.id, decision);
          await store.settleRun(task.runId);
        }
        return [{ ...approval, key: task.key }];
      });
      // The nonce is for whoever decides; a list of what waits does not hand it out.
      const shown = waiting.map(({ nonce: _, ...approval }) => approval);
      call.out.result(
        { dryRun: options.dryRun === true, decided: reference !== undefined, approvals: shown },
        (colors) => {
          if (reference !== undefined)
            return `${options.dryRun ? 'Would' : 'Did'} ${verb} ${shown[0]?.key ?? reference}.`;
          if (shown.length === 0) return 'Nothing waits for your word.';
          return table(
            colors,
            ['task', 'commit', 'reason'],
            shown.map((item) => [item.key, shortId(item.headCommit), item.reason]),
          );
        },
      );
    });
  }
};

async function withKeys(
  store: Store,
  approvals: readonly Approval[],
): Promise<(Approval & { key: string })[]> {
  return Promise.all(
    approvals.map(async (approval) => ({
      ...approval,
      key: (await store.getTask(approval.taskId))?.key ?? approval.taskId,
    })),
  );
}

function noneWaits(reference: string): BatonError {
  return new BatonError('CONFLICT', `No finished work of "${reference}" waits for a person.`, {
    fix: 'See `baton approve` for what waits, and `baton explain` for why a task does not move.',
  });
}
