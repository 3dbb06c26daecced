import { systemClock } from '@baton/service/system';

import { typedHere } from '../../look/explained.ts';
import { carryOn, lookAtProcesses, notCarried } from '../../project/carriers.ts';
import type { AddCommands } from '../../terminal/call.ts';
import { costOfRun, costText } from '../../terminal/cost-text.ts';
import { formatAgo, table } from '../../terminal/format.ts';
import { wholeNumber } from '../../terminal/option-values.ts';
import { runWord } from '../../terminal/status-words.ts';
import { runsOfProject, withStore, type RepoOption } from '../../project/with-store.ts';

/** `baton runs`: what was carried out here. */
export const addRuns: AddCommands = (program, define) => {
  const command = program
    .command('runs')
    .description('list the runs of this repository, newest first')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--limit <n>', 'how many', wholeNumber({ from: 1, to: 100_000 }), 20)
    .addHelpText('after', '\nExamples:\n  $ baton runs\n  $ baton runs --limit 5 --json');
  define(command, async (call, options: RepoOption & { limit: number }) => {
    const runs = await withStore(call, { ...options, whenEmpty: () => [] }, async (stored) => {
      const found = await runsOfProject(stored, { limit: options.limit });
      const looked = await lookAtProcesses(stored);
      return Promise.all(
        found.map(async (run) => {
          const told = await notCarried(stored.store, { run, ...looked });
          return { ...run, notCarried: told === null ? null : typedHere(call.out, told) };
        }),
      );
    });
    const idle = runs.flatMap((run) => (run.notCarried === null ? [] : [run.notCarried]));
    const now = systemClock.now();
    call.out.result({ runs }, (colors) =>
      runs.length === 0
        ? 'No runs yet. Start one with `baton run plan.yaml`.'
        : [
            table(
              colors,
              ['run', 'status', 'target', 'cost', 'started'],
              runs.map((run) => [
                run.slug,
                runWord(
                  run.notCarried !== null && run.status === 'running' ? 'not_carried' : run.status,
                  colors,
                ),
                run.target,
                costText(costOfRun(run)),
                formatAgo(run.createdAt, now),
              ]),
            ),
            ...idle.map(carryOn),
          ].join('\n'),
    );
  });
};
