import { BatonError } from '@baton/contracts';
import type { Worker } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import { formatSilence, table } from '../../terminal/format.ts';
import { operator, withStore, type RepoOption } from '../../project/with-store.ts';

/** `baton workers [drain]`: who carries tasks out, and letting one of them end. */
export const addWorkers: AddCommands = (program, define) => {
  const command = program
    .command('workers')
    // Options after `drain` belong to that command.
    .enablePositionalOptions()
    .description('list the workers of this store')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--all', 'also those that ended')
    .addHelpText('after', '\nExamples:\n  $ baton workers\n  $ baton workers --all --json');
  define(command, async (call, options: RepoOption & { all?: boolean }) => {
    const workers = await withStore(call, { ...options, whenEmpty: () => [] }, ({ store }) =>
      store.workers.list(),
    );
    const shown = options.all ? workers : workers.filter((worker) => worker.status !== 'offline');
    call.out.result({ workers: shown }, (colors) =>
      shown.length === 0
        ? 'No worker is online.'
        : table(
            colors,
            ['worker', 'status', 'host', 'capacity', 'labels', 'last sign'],
            shown.map((worker) => [
              worker.name,
              worker.status,
              worker.host,
              String(worker.capacity),
              worker.labels.join(' ') || '–',
              formatSilence(worker.silentMs),
            ]),
          ),
    );
  });

  const drain = command
    .command('drain')
    .argument('<worker>', 'name or id of the worker')
    .description('let a worker end: it claims nothing more, and its agents finish')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton workers drain laptop-4711');
  define(drain, async (call, reference: string, options: RepoOption) => {
    const worker = await withStore(call, options, async ({ store }) => {
      const found = pickWorker(await store.workers.list(), reference);
      await store.workers.setStatus(found.id, 'draining', operator(call, 'baton workers drain'));
      return found;
    });
    call.out.result(
      { draining: worker.id, name: worker.name },
      () => `${worker.name} on ${worker.host} drains: it claims nothing more and ends when its agents have.`,
    );
  });
};

/** @throws NOT_FOUND, AMBIGUOUS */
function pickWorker(workers: readonly Worker[], reference: string): Worker {
  const found = workers.filter(
    ({ id, name, status }) => status !== 'offline' && (id === reference || name === reference),
  );
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  throw second === undefined
    ? new BatonError('NOT_FOUND', `There is no worker "${reference}".`, { fix: 'See `baton workers`.' })
    : new BatonError('AMBIGUOUS', `${found.length} workers are called "${reference}".`, {
        fix: 'Give its id; `baton workers --json` has it.',
      });
}
