import { BatonError, plan, repoConfig } from '@baton/contracts';
import type { Command } from 'commander';
import { z } from 'zod';

import type { AddCommands } from '../../terminal/call.ts';
import type { Define } from '../../terminal/call.ts';
import { count, listed, oneLine, table } from '../../terminal/format.ts';
import { nearest } from '../../terminal/nearest.ts';
import { dollars, effortOf } from '../../terminal/option-values.ts';
import { pickTask } from '../../project/pick-task.ts';
import { checkPlanFile } from '../../run/check-plan-file.ts';
import { writePlan, type WritePlanOptions } from '../../run/write-plan.ts';
import { operator, pickRun, withStore, type RepoOption } from '../../project/with-store.ts';

const verbs = ['write', 'check', 'schema', 'approve', 'reject'];
/** Rows of a table that a person reads. */
const mostRows = 100;

/** `baton plan "goal"` and `baton plan check|schema|approve|reject`. */
export const addPlan: AddCommands = (program, define) => {
  const family = program
    .command('plan')
    .description('let an agent write a plan for a goal, check a plan file, or decide on a plan that waits');
  addWrite(family, define);

  const check = family
    .command('check')
    .argument('<plan.yaml>', 'plan file, - for standard input')
    .description('check a plan file without running anything')
    .option('--repo <path>', 'the repository that it is for, if it is not the current folder')
    .option('--file-only', 'look at the file alone, not at a repository or this machine')
    .addHelpText(
      'after',
      `
Reports every problem that can be found before the run: mistakes in the file; with baton.yaml of the repository also agents, models, prices,
programs and variables that are missing on this machine, lines that need a shell, gates and targets that do not exist.
Exit code 2 when something would end the run. With --json: { name, tasks, agents, warnings, looked }.

Examples:
  $ baton plan check plan.yaml
  $ baton plan check plan.yaml --repo ../shop --json`,
    );
  define(check, async (call, file: string, options: RepoOption & { fileOnly?: boolean }) => {
    const { loaded, agents, warnings, looked } = await checkPlanFile(call, file, options);
    for (const warning of warnings) call.out.warn(warning);
    const tasks = loaded.tasks.map(({ key, title, role, dependsOn, files }) => ({
      key,
      title,
      role,
      dependsOn,
      files,
    }));
    call.out.result({ name: loaded.plan.name, tasks, agents, warnings, looked }, (colors) =>
      [
        `${colors.green('✔')} ${file} is valid: ${count(tasks.length, 'task')} in ${count(loaded.plan.stages.length, 'stage')}.`,
        table(
          colors,
          ['task', 'after', 'title'],
          tasks
            .slice(0, mostRows)
            .map((task) => [task.key, listed(task.dependsOn) || '–', oneLine(task.title, 60)]),
        ),
        ...(tasks.length > mostRows
          ? [`… and ${count(tasks.length - mostRows, 'task')} more; --json lists all.`]
          : []),
      ].join('\n'),
    );
  });

  const schema = family
    .command('schema')
    .description('print the JSON Schema of plan files (or of baton.yaml), for editors')
    .option('--config', 'the schema of baton.yaml')
    .addHelpText('after', '\nExamples:\n  $ baton plan schema > plan.schema.json');
  define(schema, async (call, options: { config?: boolean }) => {
    const json = z.toJSONSchema(options.config ? repoConfig : plan, { io: 'input', unrepresentable: 'any' });
    call.out.result(json, () => JSON.stringify(json, undefined, 2));
  });

  for (const verb of ['approve', 'reject'] as const) {
    const command = family
      .command(verb)
      .argument('[run]', 'id or slug; the newest run when left out')
      .description(
        verb === 'approve' ? 'let the planned tasks of a run start' : 'cancel the planned tasks of a run',
      )
      .option('--repo <path>', 'the repository, if it is not the current folder')
      .option('--task <key...>', 'only these tasks')
      .option('--reason <text>', 'why, for the record', `plan ${verb} on the command line`)
      .option('--dry-run', 'say which tasks it would be')
      .addHelpText(
        'after',
        `\nExamples:\n  $ baton plan ${verb} tidy-7k2f\n  $ baton plan ${verb} tidy-7k2f --task format changelog`,
      );
    define(command, async (call, reference: string | undefined, options: DecideOptions) => {
      const { run, keys } = await withStore(call, options, async (stored) => {
        const found = await pickRun(stored, reference);
        const wanted = options.task
          ? await Promise.all(options.task.map((key) => pickTask(stored.store, key, { runId: found.id })))
          : (await stored.store.tasks.list({ runId: found.id, status: ['PLANNED'], limit: 200 })).items;
        const planned = wanted.filter((task) => task.status === 'PLANNED');
        const decision = {
          ...operator(call, options.reason),
          ...(options.task ? { taskIds: planned.map((task) => task.id) } : {}),
        };
        if (!options.dryRun && planned.length > 0) {
          if (verb === 'approve') await stored.store.runs.approvePlan(found.id, decision);
          else await stored.store.runs.rejectPlan(found.id, decision);
          await stored.store.runs.settle(found.id);
        }
        return { run: found, keys: planned.map((task) => task.key) };
      });
      call.out.result({ dryRun: options.dryRun === true, runId: run.id, tasks: keys }, () => {
        if (keys.length === 0) return `No task of ${run.slug} waits for a decision.`;
        const next =
          verb === 'approve' && !options.dryRun
            ? ` Carry it out with \`baton run --resume ${run.slug}\`.`
            : '';
        const done = { approve: 'Approved', reject: 'Rejected' }[verb];
        return `${options.dryRun ? `Would ${verb}` : done} ${count(keys.length, 'task')}: ${listed(keys)}.${next}`;
      });
    });
  }
};

/** `baton plan write`, which is also what `baton plan` does with a goal. */
function addWrite(family: Command, define: Define): void {
  const command = family
    .command('write', { isDefault: true })
    .argument('[goal]', 'the goal, in words')
    .description('let an agent write a plan for a goal, for you to read and change before anything starts')
    .option('-o, --output <file>', 'where the plan goes, - for standard output; default: plan.yaml')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--agent <name>', 'agent that plans')
    .option('--model <name>', 'its model')
    .option('--effort <level>', 'how much it thinks: low, medium, high', effortOf)
    .option('--budget <usd>', 'US dollars that planning may spend', dollars)
    .option('--max-cost <usd>', 'the same: planning is one step', dollars)
    .option('-y, --yes', 'do not ask before it starts')
    .option('--dry-run', 'check everything and say what would be done')
    .addHelpText(
      'after',
      `
An agent reads the repository in its own worktree and writes steps, each with its goal, the files it owns, its
dependencies and its proof. The plan is accepted when \`baton plan check\` accepts it; else the agent gets the reason
and tries again. Nothing of the plan starts by this, and your checkout gets the one new file. A file that is there is never
overwritten: where plan.yaml is, the plan gets the name of its goal. Interrupted? \`baton run --resume\` continues to the plan.
With --json: { runId, file, plan, commands, tasks, costMicroUsd, unmeasuredMicroUsd, unmeasured, durationMs }.

Examples:
  $ baton plan "make the date parser accept ISO weeks, with tests"
  $ baton plan "split the settings page into tabs" --agent claude-code --model opus --budget 1 --output tabs.yaml
  $ baton plan "add rate limits to the API" --yes --output - > limits.yaml`,
    );
  define(command, (call, goal: string | undefined, options: WritePlanOptions) => {
    const meant = goal === undefined || /\s/.test(goal) ? undefined : nearest(goal, verbs);
    if (meant !== undefined)
      throw new BatonError('INVALID_INPUT', `There is no \`baton plan ${goal}\`; did you mean "${meant}"?`, {
        fix: `Say \`baton plan ${meant}\`, or a goal in several words.`,
      });
    return writePlan(call, goal, options);
  });
}

interface DecideOptions extends RepoOption {
  task?: string[];
  reason: string;
  dryRun?: boolean;
}
