import { BatonError } from '@baton/contracts';
import { detachedBy, mergeRun, useText, type MergeRunOutcome } from '@baton/janitor';
import type { Run, Store } from '@baton/task-store';

import type { AddCommands } from '../../terminal/call.ts';
import type { Call } from '../../terminal/call.ts';
import { shortId } from '../../terminal/format.ts';
import { flaggedLines } from '../../look/flagged.ts';
import { requireProject, type Project } from '../../project/project.ts';
import { openRequest, type Requested } from '../../pull-request/open-request.ts';
import { requestText } from '../../pull-request/request-text.ts';
import { exitCodes } from '../../terminal/render-error.ts';
import { identityOf } from '../../run/person.ts';
import { takeSnapshot } from '../../run/follow.ts';
import { lossLine, lostHere, withRestore } from '../../run/landed-loss.ts';
import type { RunSnapshot } from '../../run/progress-lines.ts';
import { runResult } from '../../run/summary.ts';
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
    .option('--pr', 'push it and open a pull request into that branch instead, with gh or glab')
    .option('--dry-run', 'say what would happen')
    .addHelpText(
      'after',
      '\nA fast-forward where that is possible, else a merge commit in your name, which runs no hooks and is not signed. A merge that would conflict is not begun.\n' +
        'With --pr the checkout is not touched and nothing is forced; without a logged-in gh or glab it prints what to type.\n\n' +
        'Examples:\n  $ baton merge\n  $ baton merge tidy-7k2f --dry-run\n  $ baton merge --pr',
    );
  define(command, async (call, reference: string | undefined, options: Options) =>
    withProject(call, options, async (stored) => {
      const project = requireProject(stored.project);
      const { id } = await pickRun(stored, reference);
      const snapshot = await takeSnapshot(stored, id);
      const work = { project, snapshot, dryRun: options.dryRun === true, store: stored.store };
      return options.pr ? request(call, work) : merge(call, work);
    }),
  );
};

interface Work {
  project: Project;
  snapshot: RunSnapshot;
  dryRun: boolean;
  store: Store;
}

/** What became of a merge; `nothing_landed`: the run has no work that could be taken. */
type MergeOutcome = MergeRunOutcome | { kind: 'nothing_landed' };

async function merge(call: Call, { project, snapshot, dryRun, store }: Work): Promise<number> {
  const { run, tasks, commits, flagged = new Map() } = snapshot;
  const { git, root: repo, branch: into } = project;
  if (into === null) throw await detached(project);
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

/** Whether the branch that is checked out holds everything that landed: the run's own branch may be cleaned away by then. */
async function holdsAll({ git, root: cwd }: Project, { commits }: RunSnapshot): Promise<boolean> {
  for (const commit of commits.values()) {
    const asked = await git(['merge-base', '--is-ancestor', commit, 'HEAD'], { cwd });
    if (asked.exitCode !== 0) return false;
  }
  return commits.size > 0;
}

function weakenedIn({ tasks, flagged }: RunSnapshot): { key: string; texts: readonly string[] }[] {
  return tasks.flatMap(({ id, key }) => {
    const texts = flagged?.get(id);
    return texts === undefined ? [] : [{ key, texts }];
  });
}

async function request(call: Call, { project, snapshot, dryRun, store }: Work): Promise<number> {
  const { run, tasks, commits, flagged = new Map() } = snapshot;
  if (project.branch === null) throw await detached(project);
  if (project.branch === run.target)
    throw new BatonError('CONFLICT', `${run.target} is checked out, and it cannot go into itself.`, {
      fix: 'Check out the branch to merge into: `git switch BRANCH`.',
    });
  if (commits.size === 0)
    throw new BatonError('CONFLICT', `Nothing of ${run.slug} has landed yet.`, {
      fix: `See \`baton status ${run.slug}\`.`,
    });
  const sessions = await store.tasks.sessions({ runId: run.id });
  const text = requestText(run, runResult({ ...snapshot, sessions }, { durationMs: 0 }));
  const wanted = { head: run.target, base: project.branch, text, slug: run.slug, dryRun };
  const requested = await openRequest(call, project, wanted);
  const value = { runId: run.id, target: run.target, into: project.branch, ...requested };
  call.out.result({ ...value, weakened: weakenedIn(snapshot) }, (colors) =>
    [requestedText(requested, wanted), ...flaggedLines(flagged, { run, tasks, colors })].join('\n'),
  );
  return requested.kind === 'manual' ? exitCodes.unfinished : exitCodes.ok;
}

function requestedText(
  { kind, noun, url, why, commands }: Requested,
  { head, base }: { head: string; base: string },
): string {
  const lines = commands.map((line) => `  ${line}`);
  switch (kind) {
    case 'opened':
      return `Opened a ${noun} of ${head} into ${base}: ${url ?? 'its address is not known'}.`;
    case 'exists':
      return `There is a ${noun} of ${head}, and it has the commits now: ${url ?? 'its address is not known'}.`;
    case 'manual':
      return [`${why ?? ''}. This pushes the work and opens the ${noun}:`, ...lines].join('\n');
    case 'would_open':
      return [`Would push ${head} and open a ${noun} into ${base}:`, ...lines].join('\n');
  }
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
        fix: `Resolve it by hand: \`git merge ${run.target}\`.`,
        details: { files: outcome.files },
      },
    );
  }
}

async function detached({ git, root }: Project): Promise<BatonError> {
  const use = await detachedBy(git, { repo: root });
  if (use === null)
    return new BatonError('CONFLICT', 'No branch is checked out: HEAD is detached.', {
      fix: 'Check a branch out first: `git switch BRANCH`.',
    });
  const { what, fix } = useText(use.branch, use);
  return new BatonError('TARGET_IN_USE', what, { at: root, fix });
}
