import { BatonError, isBranchName, shellWord } from '@baton/contracts';
import { mergeRun, type MergeRunOutcome } from '@baton/janitor';
import type { Run } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import { shortId } from '../../terminal/format.ts';
import { flaggedLines } from '../../look/flagged.ts';
import { requireWritable } from '../../project/require-writable.ts';
import type { Project } from '../../project/project.ts';
import { placeOfRun } from '../../project/place-of-run.ts';
import { detached, requestRun, weakenedIn, type RunWork } from '../../pull-request/request-run.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { identityOf } from '../../run/person.ts';
import { takeSnapshot } from '../../run/follow.ts';
import { lossLine, lostHere, withRestore } from '../../run/landed-loss.ts';
import type { RunSnapshot } from '../../run/progress-lines.ts';
import { pickRun, withProject, type RepoOption } from '../../project/with-store.ts';

interface Options extends RepoOption {
  pr?: boolean;
  dryRun?: boolean;
}

/** `baton merge`: takes a run's work into the branch that is checked out, or opens a pull request for it. */
export const addMerge: AddCommands = (program, define) => {
  const command = program
    .command('merge')
    .argument('[run]', 'id or slug; the newest run when left out')
    .description('take the landed work of a run into the branch that you have checked out')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--pr', 'the same as `baton pr`: push it and open a pull request into that branch instead')
    .option('--dry-run', 'say what would happen')
    .addHelpText(
      'after',
      '\nA fast-forward where that is possible, else a merge commit in your name, which runs no hooks and is not signed. A merge that would conflict is not begun.\n' +
        'With --pr, which is `baton pr`, the checkout is not touched and nothing is forced; without a logged-in gh or glab it prints what to type.\n\n' +
        'Examples:\n  $ baton merge\n  $ baton merge tidy-7k2f --dry-run\n  $ baton merge --pr',
    );
  define(command, async (call, reference: string | undefined, options: Options) =>
    withProject(call, options, async (stored) => {
      const words = options.pr === true ? ['merge', '--pr'] : ['merge'];
      const project = await placeOfRun(stored, { reference, words });
      const { id } = await pickRun(stored, reference);
      const snapshot = await takeSnapshot(stored, id);
      const work = { project, snapshot, dryRun: options.dryRun === true, store: stored.store };
      return options.pr ? requestRun(call, work) : merge(call, work);
    }),
  );
};

/** What became of a merge; `nothing_landed`: the run has no work that could be taken. */
type MergeOutcome = MergeRunOutcome | { kind: 'nothing_landed' };

async function merge(call: Call, { project, snapshot, dryRun, store }: RunWork): Promise<number> {
  const { run, tasks, commits, flagged = new Map() } = snapshot;
  const { git, root: repo, branch: into } = project;
  if (into === null) throw await detached(project);
  if (!isBranchName(into)) throw oddBranch(into);
  if (!dryRun) await requireWritable({ gitDir: project.gitDir, also: [repo] });
  const identity = await identityOf(call, project);
  const whose = identity === undefined ? {} : { identity };
  const merged = await mergeRun({ git, repo, target: run.target, into, dryRun, ...whose }).catch(
    async (error: unknown): Promise<MergeRunOutcome> => {
      if (BatonError.is(error, 'REF_INVALID') && (commits.size === 0 || (await holdsAll(project, snapshot))))
        return { kind: 'up_to_date' };
      throw await withRestore({ store, project }, { run, error });
    },
  );
  const outcome: MergeOutcome =
    merged.kind === 'up_to_date' && commits.size === 0 ? { kind: 'nothing_landed' } : merged;
  if (outcome.kind === 'not_checked_out') throw await detached(project);
  refuse(outcome, { run, project });
  // What is taken is not all that landed where somebody moved the branch back.
  const lost = commits.size === 0 ? null : await lostHere({ store, project }, run);
  const weakened = weakenedIn(snapshot);
  const value = { runId: run.id, target: run.target, into, ...outcome, weakened, ...(lost && { lost }) };
  call.out.result(value, (colors) =>
    [
      tell(outcome, { run, project }),
      ...(lost === null ? [] : [lossLine(lost, run.target)]),
      ...flaggedLines(flagged, { run, tasks, colors }),
    ].join('\n'),
  );
  return outcome.kind === 'nothing_landed' ? exitCodes.unfinished : exitCodes.ok;
}

/** Git has it checked out, but its own commands take such a name for something else. */
function oddBranch(name: string): BatonError {
  return new BatonError('REF_INVALID', `"${name}", which is checked out, cannot be the name of a branch.`, {
    fix: 'Give it another name: `git branch -m NAME`.',
  });
}

/** Whether the branch that is checked out holds everything that landed: the run's own branch may be cleaned away by then. */
async function holdsAll({ git, root: cwd }: Project, { commits }: RunSnapshot): Promise<boolean> {
  for (const commit of commits.values()) {
    const asked = await git(['merge-base', '--is-ancestor', commit, 'HEAD'], { cwd });
    if (asked.exitCode !== 0) return false;
  }
  return commits.size > 0;
}

function tell(outcome: MergeOutcome, { run, project }: { run: Run; project: Project }): string {
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
    case 'nothing_landed':
      return `Nothing of ${run.slug} has landed yet, so there is nothing to take: see \`baton status ${run.slug}\`.`;
    case 'conflict':
    case 'dirty':
    case 'not_checked_out':
      return ''; // refused before
  }
}

/** @throws CONFLICT, REPO_DIRTY */
function refuse(outcome: MergeOutcome, { run, project }: { run: Run; project: Project }): void {
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
        fix: `Resolve it by hand: \`git merge ${shellWord(run.target)}\`.`,
        details: { files: outcome.files },
      },
    );
  }
}
