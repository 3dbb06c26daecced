import type { AddCommands } from '../cli.ts';
import { count } from '../format.ts';
import { exitCodes } from '../render-error.ts';
import { withStore, type RepoOption } from '../with-store.ts';

/** `baton verify-audit`: recomputes the hash chains of the record. */
export const addVerifyAudit: AddCommands = (program, define) => {
  const command = program
    .command('verify-audit')
    .description('check that the record of all moves is complete and unchanged; exit 1 when it is not')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .addHelpText('after', '\nExamples:\n  $ baton verify-audit --json');
  define(command, async (call, options: RepoOption) => {
    const audit = await withStore(call, options, ({ store }) => store.verifyAudit());
    call.out.result(audit, (colors) =>
      audit.broken.length === 0
        ? `${colors.green('✔')} ${count(audit.events, 'event')} of ${audit.entities} entities: every chain holds.`
        : [
            `${colors.red('✘')} ${count(audit.broken.length, 'break')} among ${count(audit.events, 'event')}:`,
            ...audit.broken.map((item) => `  ${item.machine} ${item.entityId} at ${item.seq}: ${item.what}`),
          ].join('\n'),
    );
    return audit.broken.length === 0 ? exitCodes.ok : exitCodes.unfinished;
  });
};
