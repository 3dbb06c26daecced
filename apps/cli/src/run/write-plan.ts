import { BatonError, planTasks, shellWord } from '@baton/contracts';
import type { Run } from '@baton/task-store';

import type { Call } from '../terminal/call.ts';
import { oneLine, table } from '../terminal/format.ts';
import { loadConfig } from '../plan/load-config.ts';
import { checkPlan } from '../plan/load-plan.ts';
import { mergePlan } from '../plan/merge-plan.ts';
import { agentCommandsOf, commandsOf } from '../plan/shell-line.ts';
import { parseYaml } from '../plan/yaml-file.ts';
import { openProject, type Project } from '../project/project.ts';
import { exitCodes } from '../terminal/render-error.ts';
import { costText } from '../terminal/cost-text.ts';
import type { TellDone } from './carry-out.ts';
import { draftName, isPlanning, planningPlan } from './planning.ts';
import { choosePlanPlace, usualPlace, writePlanFile, type PlanPlace } from './plan-place.ts';
import type { PreparedPlan } from './prepare-plan.ts';
import type { RunOptions } from './run-options.ts';
import { startRun } from './start-run.ts';
import type { RunResult } from './summary.ts';

/** Options of `baton plan "goal"`. */
export interface WritePlanOptions extends Pick<
  RunOptions,
  'repo' | 'agent' | 'model' | 'effort' | 'budget' | 'maxCost' | 'yes' | 'dryRun'
> {
  /** File for the plan; `-`: standard output. */
  output?: string;
}

/**
 * Lets an agent write a plan for a goal, for a person to read and change before anything of it starts.
 * @returns the exit code
 */
export async function writePlan(
  call: Call,
  goal: string | undefined,
  options: WritePlanOptions,
): Promise<number> {
  const project = await openProject(call, options);
  const config = await loadConfig(project.root);
  // The run of the planning agent proves a plan, not the repository: neither gates nor set-up.
  const bare = { ...config, gates: [], workspace: undefined, target: undefined, landing: undefined };
  const check = [...ownCommand(), 'plan', 'check', '--file-only'];
  const agent = options.agent ?? config.agent;
  const plan = mergePlan(planningPlan(goal ?? '', { check, agent }), bare, options);
  const wanted = await choosePlanPlace(call.cwd, { wanted: options.output, name: plan.name });
  await refuseTaken(project);
  const source = { kind: 'goal' as const, by: call.env.user, trusted: true };
  // A person reads the draft before anything of it starts: no reviewer has to.
  const routing = config.routing && { ...config.routing, reviewer: undefined };
  const prepared: PreparedPlan = {
    plan,
    config: { ...config, routing },
    isGoal: true,
    tasks: planTasks(plan, { source }),
  };
  return startRun(call, {
    project,
    prepared,
    options: { ...options, capacity: 1 },
    tellDone: (result) => tellDraft(call, { project, wanted, result }),
  });
}

/** Prints the result of a planning run that was carried on to its end; undefined: the run is another. */
export function draftTeller(
  call: Call,
  { project, run }: { project: Project; run: Pick<Run, 'name' | 'plan'> },
): TellDone | undefined {
  if (!isPlanning(run.plan)) return undefined;
  return (result) => tellDraft(call, { project, wanted: usualPlace(call.cwd, run.name), result });
}

/** How this very program is called. */
function ownCommand(): string[] {
  const [program = process.execPath, script] = process.argv;
  return [program, ...process.execArgv, ...(script === undefined ? [] : [script])];
}

/** @throws INVALID_INPUT when the repository itself has a file of the draft's name */
async function refuseTaken({ git, root: cwd }: Project): Promise<void> {
  const { exitCode } = await git(['cat-file', '-e', `HEAD:${draftName}`], { cwd });
  if (exitCode === 0)
    throw new BatonError('INVALID_INPUT', `This repository has a file ${draftName}.`, {
      fix: 'Planning agents write one of that name: rename yours, and commit that.',
    });
}

/** Takes the plan from the branch of the run, writes it where it was asked for, and says what it would do. */
async function tellDraft(
  call: Call,
  { project, wanted, result }: { project: Project; wanted: PlanPlace; result: RunResult },
): Promise<number> {
  const { git, root: cwd } = project;
  const { exitCode, stdout: text } = await git(['cat-file', 'blob', `${result.target}:${draftName}`], {
    cwd,
  });
  if (exitCode !== 0)
    throw new BatonError('REF_INVALID', `${result.target} does not hold the plan that landed on it.`, {
      at: result.target,
      fix: 'The branch was moved or deleted: `baton status` says how to bring it back.',
    });
  const source = { kind: 'plan' as const, by: call.env.user, trusted: true };
  const { plan, tasks } = checkPlan(parseYaml(text, { name: draftName, code: 'PLAN_INVALID' }), { source });
  const place = await writePlanFile(wanted, { text, branch: result.target });
  const commands = [...agentCommandsOf(plan), ...commandsOf(plan)];
  const { runId, costMicroUsd, unmeasuredMicroUsd, unmeasured, durationMs } = result;
  const view = {
    ...{ runId, file: place.file, plan: text, commands },
    tasks: tasks.map(({ key, title, dependsOn, files }) => ({ key, title, dependsOn, files })),
    ...{ costMicroUsd, unmeasuredMicroUsd, unmeasured, durationMs },
  };
  const cost = costText({ costMicroUsd: costMicroUsd ?? 0, unmeasuredMicroUsd, unmeasured });
  const rows = tasks.map((task) => [
    task.key,
    task.dependsOn.join(', ') || '–',
    task.files.join(' ') || 'any',
    oneLine(task.title, 50),
  ]);
  call.out.result(view, (colors) =>
    place.file === null
      ? text.trimEnd()
      : [
          table(colors, ['task', 'after', 'files', 'title'], rows),
          ...(commands.length === 0
            ? []
            : [`Commands it would run: ${commands.map(({ argv }) => argv.join(' ')).join('; ')}`]),
          `Written to ${place.shown} (cost: ${cost}). Read it and change what you like, then:`,
          `  $ ${call.out.offer(`baton plan check ${shellWord(place.shown)}`)}`,
          `  $ ${call.out.offer(`baton run ${shellWord(place.shown)}`)}`,
        ].join('\n'),
  );
  return exitCodes.ok;
}
