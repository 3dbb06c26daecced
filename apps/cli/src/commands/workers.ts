import { BatonError } from '@baton/contracts';
import type { Worker } from '@baton/task-store';

import { systemClock } from '../system.ts';

import type { AddCommands } from '../cli.ts';
import { formatAgo, table } from '../format.ts';
import { operator, withStore, type RepoOption } from '../with-store.ts';

/** `baton workers [drain]`: who carries tasks out, and letting one of them end. */
export const addWorkers: AddCommands = (program, define) => {
  const command = program
    .command('workers')
    .description('list the workers of this store')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--all', 'also those that ended')
    .addHelpText('after', '\nExamples:\n  $ baton workers\n  $ baton workers --all --json');
  define(command, async (call, options: RepoOption & { all?: boolean }) => {
    const workers = await withStore(call, { ...options, whenEmpty: () => [] }, ({ store }) =>
      store.workers(),
    );
    const shown = options.all ? workers : workers.filter((worker) => worker.status !== 'offline');
    const now = systemClock.now();
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
              formatAgo(worker.heartbeatAt, now),
            ]),
          ),
    );
  });
};
