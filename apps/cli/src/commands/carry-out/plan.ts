import { BatonError, plan, repoConfig } from '@baton/contracts';
import type { Command } from 'commander';
import { z } from 'zod';

import type { AddCommands, Define } from '../../terminal/call.ts';
import { nearest } from '../../terminal/nearest.ts';
import { agentName, dollars, effortOf } from '../../terminal/option-values.ts';
import { writePlan, type WritePlanOptions } from '../../run/write-plan.ts';
import { addCheck } from './plan-check.ts';
import { addDecision } from './plan-decide.ts';

const verbs = ['write', 'check', 'schema', 'approve', 'reject'];
/** `baton plan "goal"` and `baton plan check|schema|approve|reject`. */
export const addPlan: AddCommands = (program, define) => {
  const family = program
    .command('plan')
    .description('let an agent write a plan for a goal, check a plan file, or decide on a plan that waits');
  addWrite(family, define);

  addCheck(family, define);
  addSchema(family, define);
  addDecision(family, define, 'approve');
  addDecision(family, define, 'reject');
};

function addSchema(family: Command, define: Define): void {
  const schema = family
    .command('schema')
    .description('print the JSON Schema of plan files (or of baton.yaml), for editors')
    .option('--config', 'the schema of baton.yaml')
    .addHelpText('after', '\nExamples:\n  $ baton plan schema > plan.schema.json');
  define(schema, async (call, options: { config?: boolean }) => {
    const json = z.toJSONSchema(options.config ? repoConfig : plan, { io: 'input', unrepresentable: 'any' });
    call.out.result(json, () => JSON.stringify(json, undefined, 2));
  });
}

/** `baton plan write`, which is also what `baton plan` does with a goal. */
function addWrite(family: Command, define: Define): void {
  const command = family
    .command('write', { isDefault: true })
    .argument('[goal]', 'the goal, in words')
    .description('let an agent write a plan for a goal, for you to read and change before anything starts')
    .option('-o, --output <file>', 'where the plan goes, - for standard output; default: plan.yaml')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--agent <name>', 'agent that plans', agentName)
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
