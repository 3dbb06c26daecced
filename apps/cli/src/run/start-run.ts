import { availableParallelism } from 'node:os';

import { BatonError, runSlug, slugStem } from '@baton/contracts';
import { systemIds } from '@baton/service/system';
import { carryCommand } from '@baton/task-store';

import { askYesNo, canAsk } from '../terminal/ask.ts';
import type { Call } from '../terminal/call.ts';
import { count, oneLine, table } from '../terminal/format.ts';
import type { Project } from '../project/project.ts';
import { exitCodes } from '../terminal/render-error.ts';
import { executeRun, type TellDone } from './carry-out.ts';
import { chooseRequestTarget } from './choose-request-target.ts';
import { chooseTarget, landsOn, type Target } from './choose-target.ts';
import { createRun } from './create-run.ts';
import { lookAhead, refuseProblems } from './look-ahead.ts';
import { lookAtBase } from './look-at-base.ts';
import { openEngine } from './open-engine.ts';
import { interceptDrafts } from './open-plugins.ts';
import { outlookLines, outlookView, type Outlook } from './outlook.ts';
import type { PreparedPlan } from './prepare-plan.ts';

/** What a new run is started with. */
export interface StartOptions {
  project: Project;
  prepared: PreparedPlan;
  options: { dryRun?: boolean; yes?: boolean; capacity?: number };
  /** Prints its result when it is done, in place of the summary. */
  tellDone?: TellDone;
}

/**
 * Looks whether a prepared plan can work at all, writes it as a run and carries that out.
 * @returns the exit code
 */
export async function startRun(
  call: Call,
  { project, prepared: given, options, tellDone }: StartOptions,
): Promise<number> {
  const slug = runSlug(given.plan.name, systemIds);
  const { target, prepared } = await targetOf(call, { project, prepared: given, slug });
  const warning = await lookAtBase(project, target.baseCommit);
  const { agents, reviewer, problems, warnings } = await lookAhead(call, prepared, { root: project.root });
  refuseProblems(problems);
  for (const text of [target.warning, warning, ...warnings]) if (text !== undefined) call.out.warn(text);
  if (options.dryRun) return tellPlan(call, { prepared, target, agents, reviewer });
  if (prepared.isGoal) {
    call.out.note(outlookLines({ plan: prepared.plan, target, agents, reviewer }).join('\n'));
    if (!options.yes && canAsk(call) && (await askYesNo(call, 'Go ahead?')) !== true)
      throw new BatonError('INTERRUPTED', 'Nothing was started.', { fix: 'Answer y, or pass --yes.' });
  }
  await using engine = await openEngine(call, { project, config: prepared.config });
  const tasks = await interceptDrafts(engine.plugins, prepared.tasks);
  const run = await createRun(call, engine.access.store, { ...prepared, tasks, project, target, slug });
  if (prepared.plan.review) {
    throw new BatonError(
      'APPROVAL_NEEDED',
      `${run.slug} is planned: ${count(prepared.tasks.length, 'task')} wait for review.`,
      {
        fix: `Look at them with \`baton tasks ${run.slug}\`, then \`baton plan approve ${run.slug}\` and \`${carryCommand(run)}\`.`,
        details: { runId: run.id, slug: run.slug },
      },
    );
  }
  call.out.note(
    call.out.noteColors.dim(
      `${run.slug}: ${count(prepared.tasks.length, 'task')} → ${landsOn(target)} (base ${target.baseCommit.slice(0, 9)})`,
    ),
  );
  return await executeRun(call, {
    engine,
    project,
    run,
    capacity: options.capacity ?? run.maxAgents ?? availableParallelism(),
    tellDone,
  });
}

/** Where the run lands, and its plan with what was chosen for that. */
async function targetOf(
  call: Call,
  { project, prepared, slug }: { project: Project; prepared: PreparedPlan; slug: string },
): Promise<{ target: Target; prepared: PreparedPlan }> {
  const { plan } = prepared;
  if (plan.landing !== 'pull_request')
    return { target: await chooseTarget(project, { wanted: plan.target, slug }), prepared };
  const target = await chooseRequestTarget(call, project, { wanted: plan.target, slug });
  // Tasks of one agent land in order: each would wait until somebody has merged the one before.
  return {
    target,
    prepared: { ...prepared, plan: { ...plan, target: target.requests.into, batch_size: 1 } },
  };
}

/** A branch of the run's own is named when the run starts: until then its last characters are open. */
function tellPlan(
  call: Call,
  {
    prepared,
    target,
    agents,
    reviewer,
  }: Pick<Outlook, 'agents' | 'reviewer'> & { prepared: PreparedPlan; target: Target },
): number {
  const { plan } = prepared;
  const own = plan.target === undefined ? `baton/${slugStem(plan.name)}-*` : target.target;
  const name = target.requests === undefined ? own : landsOn(target);
  const shown = { plan, target: { ...target, target: name }, agents, reviewer };
  const tasks = prepared.tasks.map(({ key, title, dependsOn, files, agent }) => ({
    key,
    title,
    dependsOn,
    files,
    agent,
  }));
  const gates = plan.gates.map((gate) => gate.name);
  const { baseCommit } = target;
  const view = { dryRun: true, target: name, baseCommit, gates, agents, outlook: outlookView(shown), tasks };
  const open = plan.target === undefined ? ' (* is drawn when the run starts)' : '';
  call.out.result(view, (colors) =>
    [
      `Would carry out ${count(tasks.length, 'task')} onto ${colors.bold(name)}${open}, from ${baseCommit.slice(0, 9)}:`,
      ...outlookLines(shown),
      table(
        colors,
        ['task', 'after', 'files', 'title'],
        tasks.map((task) => [
          task.key,
          task.dependsOn.join(', ') || '–',
          task.files.join(' ') || 'any',
          oneLine(task.title, 50),
        ]),
      ),
    ].join('\n'),
  );
  return exitCodes.ok;
}
