import { Option } from 'commander';

import type { AddCommands } from '../../terminal/call.ts';
import { graphForms, graphText, type GraphForm } from '../../terminal/graph-text.ts';
import { pickRun, withStore, type RepoOption } from '../../project/with-store.ts';

/** `baton graph`: what waits for what. */
export const addGraph: AddCommands = (program, define) => {
  const command = program
    .command('graph')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('print what waits for what in a run, to be drawn elsewhere')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addOption(new Option('--format <form>', 'how').choices(graphForms).default('mermaid'))
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton graph\n  $ baton graph tidy-7k2f --format dot | dot -Tsvg > graph.svg\n  $ baton graph --json',
    );
  define(
    command,
    async (call, reference: string | undefined, options: RepoOption & { format: GraphForm }) => {
      const graph = await withStore(call, options, async (stored) =>
        stored.store.tasks.graph((await pickRun(stored, reference)).id),
      );
      call.out.result(graph, () => graphText(graph, options.format), { exact: true });
    },
  );
};
