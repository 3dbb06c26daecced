import { applySweep, sweepRefs } from '@baton/janitor';

import type { AddCommands } from '../cli.ts';
import { count, table } from '../format.ts';
import { requireProject } from '../project.ts';
import { runsOfProject, withStore, type RepoOption } from '../with-store.ts';

/** More runs than this are not looked through for live targets. */
const maxRuns = 10_000;

/** `baton clean`: removes branches and refs of Baton's whose work is kept elsewhere. */
export const addClean: AddCommands = (program, define) => {
  const command = program
    .command('clean')
    .description('remove integration branches and refs whose commits are all in another branch')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--dry-run', 'say what would be removed')
    .addHelpText(
      'after',
      '\nNothing that is reachable from nowhere else is ever removed.\n\nExamples:\n  $ baton clean --dry-run\n  $ baton clean',
    );
  define(command, async (call, options: RepoOption & { dryRun?: boolean }) => {
    const acts = await withStore(call, { ...options, whenEmpty: () => [] }, async (stored) => {
      const { git, root } = requireProject(stored.project);
      const { store } = stored;
      const live = await runsOfProject(stored, {
        status: ['running', 'paused', 'waiting', 'stuck'],
        limit: maxRuns,
      });
      const open = await store.listAttempts({ open: true });
      const planned = await sweepRefs({
        git,
        repo: root,
        storeId: store.storeId,
        liveTargets: live.map((run) => run.target),
        openLandings: open.map((attempt) => attempt.id),
      });
      return options.dryRun ? planned : applySweep({ git, repo: root }, planned);
    });
    call.out.result({ dryRun: options.dryRun === true, removed: acts }, (colors) =>
      acts.length === 0
        ? 'Nothing to clean.'
        : [
            table(
              colors,
              ['ref', 'why nothing is lost'],
              acts.map((act) => [act.ref, act.reason]),
            ),
            `${options.dryRun ? 'Would remove' : 'Removed'} ${count(acts.length, 'ref')}.`,
          ].join('\n'),
    );
  });
};
