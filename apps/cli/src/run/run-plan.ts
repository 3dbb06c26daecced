import { availableParallelism } from 'node:os';

import { BatonError } from '@baton/contracts';

import type { Call } from '../cli.ts';
import { count, oneLine, table } from '../format.ts';
import { loadConfig } from '../plan/load-config.ts';
import { openProject, type Project } from '../project.ts';
import { exitCodes } from '../render-error.ts';
import { allTasks, operator } from '../with-store.ts';
import { askYesNo, canAsk } from '../ask.ts';
import { carryOut } from './carry-out.ts';
import { checkAgents, type AgentUse } from './check-agents.ts';
import { chooseTarget, type Target } from './choose-target.ts';
import { approveOwnPlan, createRun, createSlug, slugStem } from './create-run.ts';
import { lookAhead, refuseProblems } from './look-ahead.ts';
import { outlookLines, outlookView } from './outlook.ts';
import { lookAtBase } from './look-at-base.ts';
import { findUnfinished } from './find-unfinished.ts';
import { requireTarget } from './landed-loss.ts';
import { openEngine } from './open-engine.ts';
import { interceptDrafts } from './open-plugins.ts';
import { renewHeld } from './renew-held.ts';
import { preparePlan, type PreparedPlan } from './prepare-plan.ts';

/** Options of `baton run`. */
export interface RunOptions {
  repo?: string;
  target?: string;
  agent?: string;
  /** Agents at work at once; the number of cores when absent. */
  capacity?: number;
  allowRed?: string[];
  maxRetries?: number;
  /** Of steps that name none. */
  model?: string;
  effort?: 'low' | 'medium' | 'high';
  /** In micro-dollars: of the run, and of every step. */
  budget?: number;
  maxCost?: number;
  review?: boolean;
  /** True: the newest unfinished run. */
  resume?: string | true;
  /** With `resume`: put a target that was deleted or moved back on what had landed. */
  restoreTarget?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/**
 * Carries out a plan file, a goal in words, or an unfinished run: everything that `baton run` does.
 * @returns the exit code
 */
export async function runPlan(call: Call, what: string | undefined, options: RunOptions): Promise<number> {
  const project = await openProject(call, options);
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
  const slug = createSlug(prepared.plan.name);
  const target = await chooseTarget(project, { wanted: prepared.plan.target, slug });
  const warning = await lookAtBase(project, target.baseCommit);
  const { agents, problems, warnings } = await lookAhead(call, prepared, { root: project.root });
  refuseProblems(problems);
  for (const text of [target.warning, warning, ...warnings]) if (text !== undefined) call.out.warn(text);
  if (options.dryRun) return tellPlan(call, { prepared, target, agents });
  if (prepared.isGoal) {
    call.out.note(outlookLines({ plan: prepared.plan, target, agents }).join('\n'));
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
        fix: `Look at them with \`baton tasks ${run.slug}\`, then \`baton plan approve ${run.slug}\` and \`baton run --resume ${run.slug}\`.`,
        details: { runId: run.id, slug: run.slug },
      },
    );
  }
  call.out.note(
    call.out.noteColors.dim(
      `${run.slug}: ${count(prepared.tasks.length, 'task')} → ${run.target} (base ${target.baseCommit.slice(0, 9)})`,
    ),
  );
  return await carryOut(call, {
    engine,
    project,
    run,
    capacity: options.capacity ?? run.maxAgents ?? availableParallelism(),
  });
}

async function resumeRun(
  call: Call,
  { project, what, options }: { project: Project; what: string | undefined; options: RunOptions },
): Promise<number> {
  const reference = options.resume === true ? what : options.resume;
  const config = await loadConfig(project.root);
  await using engine = await openEngine(call, { project, config });
  const { store } = engine.access;
  const run = await findUnfinished({ store, project }, reference);
  if (options.dryRun) {
    call.out.result({ dryRun: true, runId: run.id, slug: run.slug }, () => `Would carry ${run.slug} on.`);
    return exitCodes.ok;
  }
  await requireTarget({ store, project }, { run, restore: options.restoreTarget === true });
  const open = (await allTasks(store, run.id)).filter((task) => !task.settled);
  await checkAgents(call, { tasks: open, run, budgetMicroUsd: run.budgetMicroUsd });
  await approveOwnPlan(call, store, run);
  const renewed = await renewHeld(
    call,
    { store, project, config },
    { run, allowRed: options.allowRed ?? [] },
  );
  const { status } = (await store.getRun(run.id)) ?? run;
  if (status === 'running' || status === 'paused' || (status === 'failed' && open.length > 0))
    await store.resumeRun(run.id, operator(call, ['baton run --resume', ...renewed].join('; ')));
  const now = renewed.length === 0 ? '' : ` (${renewed.join(', ')})`;
  call.out.note(call.out.noteColors.dim(`${run.slug}: carried on → ${run.target}${now}`));
  return await carryOut(call, {
    engine,
    project,
    run,
    capacity: options.capacity ?? run.maxAgents ?? availableParallelism(),
  });
}

/** A branch of the run's own is named when the run starts: until then its last characters are open. */
function tellPlan(
  call: Call,
  { prepared, target, agents }: { prepared: PreparedPlan; target: Target; agents: readonly AgentUse[] },
): number {
  const { plan } = prepared;
  const name = plan.target === undefined ? `baton/${slugStem(plan.name)}-*` : target.target;
  const shown = { plan, target: { ...target, target: name }, agents };
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
