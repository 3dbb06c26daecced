import type { AddCommands } from '../../terminal/call.ts';
import { count } from '../../terminal/format.ts';
import { loadConfig } from '../../plan/load-config.ts';
import { archiveDir } from '../../record/archive-dir.ts';
import { parseAge, pruneOlder, retentionOf } from '../../record/retention.ts';
import { withStore, type RepoOption } from '../../project/with-store.ts';

/** Older than any store. */
const neverMs = 1_000 * 365 * 86_400_000;

interface ArchiveOptions extends RepoOption {
  archive?: string;
  olderThan?: number;
  dryRun?: boolean;
}

interface PruneOptions extends RepoOption {
  olderThan?: number;
}

/** `baton archive` and `baton prune`: what leaves the database. */
export const addArchiveAndPrune: AddCommands = (program, define) => {
  addArchive(program, define);
  addPrune(program, define);
};

const addArchive: AddCommands = (program, define) => {
  const archive = program
    .command('archive')
    .description('move the history of settled work into files; the state of everything stays')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--archive <dir>', "folder for the files; default: the project's own")
    .option(
      '--older-than <age>',
      'at rest for so long, e.g. 90d; default: retention.events of baton.yaml, else 180d',
      parseAge,
    )
    .option('--dry-run', 'say what would be moved')
    .addHelpText(
      'after',
      '\nOf each settled task, attempt, session and run the newest event stays, so that the history continues from it;\n`baton verify-audit` checks the files, too. What a plugin has not read yet stays.\n\nExamples:\n  $ baton archive --dry-run\n  $ baton archive --older-than 30d --archive /backup/baton',
    );
  define(archive, async (call, options: ArchiveOptions) => {
    const result = await withStore(call, options, async ({ store, project }) => {
      const { eventsMs } = retentionOf(project ? await loadConfig(project.root) : null);
      const dir = archiveDir(call, { given: options.archive, project });
      const dryRun = options.dryRun === true;
      await store.feed.sequence();
      const olderThanMs = options.olderThan ?? eventsMs ?? neverMs;
      return { dryRun, dir, ...(await store.archive.write({ dir, dryRun, olderThanMs })) };
    });
    call.out.result(result, () =>
      [
        result.dryRun
          ? `Would move ${result.files.length === 0 && result.events === 0 ? 'nothing' : `at least ${count(result.events, 'event')} of ${result.entities} entities`} to ${result.dir}.`
          : result.events === 0
            ? 'Nothing to archive.'
            : `${count(result.events, 'event')} of ${result.entities} entities moved to ${result.files.join(', ')}.`,
        ...(result.slowestReader === null
          ? []
          : [
              `${result.slowestReader.name} has read up to event ${result.slowestReader.position}; what came later stays.`,
            ]),
      ].join('\n'),
    );
  });
};

const addPrune: AddCommands = (program, define) => {
  const prune = program
    .command('prune')
    .description(
      'delete what agents streamed in sessions that are over, and the checkpoints of settled tasks; nothing of the record',
    )
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option(
      '--older-than <age>',
      'e.g. 7d; default: retention.agent_events of baton.yaml, else 30d',
      parseAge,
    )
    .addHelpText('after', '\nExamples:\n  $ baton prune\n  $ baton prune --older-than 7d --json');
  define(prune, async (call, options: PruneOptions) => {
    const gone = await withStore(call, options, async ({ store, project }) => {
      const { agentEventsMs } = retentionOf(project ? await loadConfig(project.root) : null);
      const ms = options.olderThan ?? agentEventsMs ?? neverMs;
      return pruneOlder(store, ms);
    });
    call.out.result(
      gone,
      () =>
        `${count(gone.agentEvents, 'line')} and ${count(gone.checkpoints, 'checkpoint')} of agents, ${count(gone.commands, 'answer')} of old commands deleted.`,
    );
  });
};
