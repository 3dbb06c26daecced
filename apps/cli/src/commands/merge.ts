import { BatonError } from '@baton/contracts';
import { mergeRun, type MergeRunOutcome } from '@baton/janitor';
import type { Run } from '@baton/task-store';

import type { AddCommands } from '../cli.ts';
import { shortId } from '../format.ts';
import { flaggedLines, flaggedOf } from '../look/flagged.ts';
import { requireProject, type Project } from '../project.ts';
import { allTasks, pickRun, withStore, type RepoOption } from '../with-store.ts';

/** `baton merge`: takes a run's work into the branch that is checked out. */
export const addMerge: AddCommands = (program, define) => {
  const command = program
    .command('merge')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('take the landed work of a run into the branch that you have checked out')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--dry-run', 'say what would happen')
    .addHelpText(
      'after',
      '\nA fast-forward where that is possible, else a merge commit in your name. A merge that would conflict is not begun.\n\nExamples:\n  $ baton merge\n  $ baton merge tidy-7k2f --dry-run',
    );
  define(command, async (call, reference: string | undefined, options: RepoOption & { dryRun?: boolean }) => {
    const { run, project, outcome, flagged, tasks } = await withStore(call, options, async (stored) => {
      const here = requireProject(stored.project);
      const found = await pickRun(stored, reference);
      if (here.branch === null) throw detached();
      const merge = {
        git: here.git,
        repo: here.root,
        target: found.target,
        into: here.branch,
        dryRun: options.dryRun === true,
      };
      const tasks = await allTasks(stored.store, found.id);
      const attempts = await stored.store.listAttempts({ runId: found.id });
      const flagged = await flaggedOf(stored.store, found.id, { tasks, attempts });
      return { run: found, project: here, outcome: await mergeRun(merge), flagged, tasks };
    });
    refuse(outcome, { run, project });
    const weakened = tasks.flatMap(({ id, key }) => ({ key, texts: flagged.get(id) ?? [] }));
    const value = {
      ...{ runId: run.id, target: run.target, into: project.branch, ...outcome },
      weakened: weakened.filter(({ texts }) => texts.length > 0),
    };
    call.out.result(value, (colors) =>
      [tell(outcome, { run, project }), ...flaggedLines(flagged, { run, tasks, colors })].join('\n'),
    );
  });
};

function tell(outcome: MergeRunOutcome, { run, project }: { run: Run; project: Project }): string {
  const into = `${run.target} into ${project.branch ?? ''}`;
  switch (outcome.kind) {
    case 'fast_forward':
      return `Took ${into}: now at ${shortId(outcome.commit)}.`;
    case 'merged':
      return `Merged ${into} as ${shortId(outcome.commit)}.`;
    case 'would_fast_forward':
      return `Would take ${into} by fast-forward.`;
    case 'would_merge':
      return `Would merge ${into} with a merge commit.`;
    case 'up_to_date':
      return `${project.branch ?? ''} already holds everything of ${run.target}.`;
    case 'conflict':
    case 'dirty':
    case 'not_checked_out':
      return ''; // refused before
  }
}

/** @throws CONFLICT, REPO_DIRTY */
function refuse(outcome: MergeRunOutcome, { run, project }: { run: Run; project: Project }): void {
  if (outcome.kind === 'dirty') {
    throw new BatonError('REPO_DIRTY', `${project.branch ?? ''} is checked out with uncommitted changes.`, {
      at: project.root,
      fix: 'Commit or stash them first.',
    });
  }
  if (outcome.kind === 'conflict') {
    throw new BatonError(
      'CONFLICT',
      `Merging ${run.target} conflicts in ${outcome.files.join(', ')}; nothing was changed.`,
      {
        fix: `Resolve it by hand: \`git merge ${run.target}\`.`,
        details: { files: outcome.files },
      },
    );
  }
  if (outcome.kind === 'not_checked_out') throw detached();
}

function detached(): BatonError {
  return new BatonError('CONFLICT', 'No branch is checked out: HEAD is detached.', {
    fix: 'Check a branch out first: `git switch BRANCH`.',
  });
}
