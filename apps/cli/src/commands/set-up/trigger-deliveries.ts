import { InvalidArgumentError } from 'commander';

import type { AddCommands } from '../../terminal/call.ts';
import { fittedTable, formatAgo, listed, oneLine } from '../../terminal/format.ts';
import { systemClock } from '@baton/service/system';
import { withStore, type RepoOption } from '../../project/with-store.ts';
import { widthOfTerminal } from '../../terminal/output.ts';

const usually = 20;
const most = 500;

/** `baton triggers deliveries`: which events were accepted, and the tasks that they became. */
export const addTriggerDeliveries: AddCommands = (family, define) => {
  const command = family
    .command('deliveries')
    .description('list the events that were accepted, the newest first, and the tasks that they became')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--limit <n>', 'as many at most', limitOf, usually)
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton triggers deliveries\n  $ baton triggers deliveries --limit 100 --json',
    );
  define(command, async (call, { limit, ...options }: RepoOption & { limit: number }) => {
    const deliveries = await withStore(call, { ...options, whenEmpty: () => [] }, async ({ store }) => {
      const found = await store.inbox.deliveries({ limit });
      return Promise.all(
        found.map(async (delivery) => {
          const tasks = await Promise.all(delivery.taskIds.map((id) => store.tasks.get(id)));
          return { ...delivery, tasks: tasks.flatMap((task) => (task === null ? [] : [task.key])) };
        }),
      );
    });
    const now = systemClock.now();
    call.out.result({ deliveries }, (colors) =>
      deliveries.length === 0
        ? 'No event was accepted yet.'
        : fittedTable(colors, ['received', 'source', 'kind', 'delivery', 'tasks'], {
            rows: deliveries.map(({ receivedAt, source, kind, deliveryId, tasks }) => [
              formatAgo(receivedAt, now),
              oneLine(source, 20),
              oneLine(kind, 40),
              oneLine(deliveryId, 60),
              listed(tasks) || '–',
            ]),
            width: widthOfTerminal(call.streams.stdout),
          }),
    );
  });
};

function limitOf(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  throw new InvalidArgumentError(`Must be a whole number from 1 to ${most}.`);
}
