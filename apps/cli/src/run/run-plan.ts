import { availableParallelism } from 'node:os';

import { BatonError } from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import { loadConfig } from '../plan/load-config.ts';
import { openProject, type Project } from '../project/project.ts';
import { requireWritable } from '../project/require-writable.ts';
import { exitCodes } from '../terminal/render-error.ts';
import { allTasks, operator, ownsStore } from '../project/with-store.ts';
import { refuseOfNewRuns } from './begun-options.ts';
import { executeRun } from './carry-out.ts';
import { checkAgents } from './check-agents.ts';
import { approveOwnPlan } from './create-run.ts';
import { findUnfinished } from './find-unfinished.ts';
import { requireTarget } from './landed-loss.ts';
import { openEngine } from './open-engine.ts';
import { renewHeld } from './renew-held.ts';
import { preparePlan } from './prepare-plan.ts';
import { startRun } from './start-run.ts';
import { draftTeller } from './write-plan.ts';
import type { RunOptions } from './run-options.ts';

/**
 * Carries out a plan file, a goal in words, or an unfinished run: everything that `baton run` does.
 * @returns the exit code
 */
export async function runPlan(call: Call, what: string | undefined, options: RunOptions): Promise<number> {
  const project = await openProject(call, options);
  if (options.dryRun !== true) await requireWritable(project);
  if (options.resume !== undefined) return resumeRun(call, { project, what, options });
  if (options.restoreTarget === true) {
    throw new BatonError('INVALID_INPUT', '--restore-target belongs to --resume.', {
      fix: 'Name the run: `baton run --resume RUN --restore-target`.',
    });
  }
  if (what === undefined || what.trim() === '') {
    throw new BatonError('INVALID_INPUT', 'There is nothing to carry out.', {
      fix: 'Name a plan file (`baton run plan.yaml`), a goal (`baton run "fix the login test"`), or use --resume.',
    });
  }
  const prepared = await preparePlan(call, { what, project, overrides: options });
  return startRun(call, { project, prepared, options });
}

async function resumeRun(
  call: Call,
  { project, what, options }: { project: Project; what: string | undefined; options: RunOptions },
): Promise<number> {
  const reference = options.resume === true ? what : options.resume;
  const config = await loadConfig(project.root);
  await using engine = await openEngine(call, { project, config });
  const { store } = engine.access;
  const run = await findUnfinished({ store, project, ownStore: ownsStore(call) }, reference);
  refuseOfNewRuns(run, { options, plan: options.resume === true ? undefined : what });
  if (options.dryRun) {
    call.out.result({ dryRun: true, runId: run.id, slug: run.slug }, () => `Would carry ${run.slug} on.`);
    return exitCodes.ok;
  }
  await requireTarget({ store, project }, { run, restore: options.restoreTarget === true });
  const open = (await allTasks(store, run.id)).filter((task) => !task.settled);
  await checkAgents(call, { tasks: open, run, budgetMicroUsd: run.budgetMicroUsd });
  await approveOwnPlan(call, store, run);
  const { changed: renewed, hasBase } = await renewHeld(
    call,
    { store, project, config },
    { run, allowRed: options.allowRed ?? [] },
  );
  const { status } = (await store.runs.get(run.id)) ?? run;
  if (status === 'running' || status === 'paused' || (status === 'failed' && open.length > 0))
    await store.runs.resume(run.id, {
      ...operator(call, ['baton run --resume', ...renewed].join('; ')),
      keepsBase: hasBase,
    });
  const now = renewed.length === 0 ? '' : ` (${renewed.join(', ')})`;
  call.out.note(call.out.noteColors.dim(`${run.slug}: carried on → ${run.target}${now}`));
  return await executeRun(call, {
    engine,
    project,
    run,
    capacity: options.capacity ?? run.maxAgents ?? availableParallelism(),
    tellDone: draftTeller(call, { project, run }),
  });
}
