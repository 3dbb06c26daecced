import type { AddCommands } from '../../terminal/call.ts';
import { agentName, budgetOf, dollars, effortOf, wholeNumber } from '../../terminal/option-values.ts';
import { runPlan } from '../../run/run-plan.ts';
import { type RunOptions } from '../../run/run-options.ts';

const help = `
A goal is asked about before it starts: agent, model, money, set-up, gates and target; with --yes the same lines are only
printed, and --dry-run stops after them (with --json as { dryRun, target, baseCommit, outlook, agents, gates, tasks }).
It becomes one step for one agent; \`baton plan "goal"\` has an agent divide it into a plan for you to look at first.
Your checkout is not touched: work lands on an integration branch unless you name the one you are on.
With --pull-requests (or landing: pull_request in the plan or baton.yaml) the target is a branch of your remote, by default the
one that you are on. Each task is pushed as baton/<run>/<task> and opened with gh or glab; once somebody has merged it and the
target passes, it is closed and the next ones start. \`baton pr\` shows them. Ctrl-C and --resume are fine while they wait.
Ctrl-C stops the agents and saves their work; twice ends at once. Either way the run can be resumed, and with --json
interrupted, left, atWork and resume (the command) are added. When its output is closed (\`| head\`), the run continues
to its end.
A red base or a set-up that fails holds the run (exit 2, or 3 when something has landed), and so does an agent that cannot
be started or a provider that takes no work for long (exit 3). Put it right, and --resume looks at all of it again.
With --json, stdout gets one object: { runId, status, target, tasks: [{ id, key, title, status, attempts, commit,
costMicroUsd, unmeasuredMicroUsd, unmeasured }], costMicroUsd, unmeasuredMicroUsd, unmeasured, durationMs }; a cost of
which nothing is known is null. Progress goes to stderr. If the target does not hold all that landed any more,
lost: { kind, head, restore, tasks } says what is missing and how to bring it back, and the exit code is not 0.

Examples:
  $ baton run plan.yaml
  $ baton run plan.yaml --repo ../shop --target main --json > result.json
  $ baton run "make the date parser accept ISO weeks, with tests" --agent codex
  $ baton run "fix the flaky login test" --agent claude-code --model sonnet --budget 2.50 --yes
  $ baton run plan.yaml --budget 10 --max-cost 1 --effort high
  $ baton run plan.yaml --pull-requests --target main
  $ baton run --resume
  $ baton run --resume tidy-7k2f --restore-target
  $ baton run plan.yaml --allow-red lint --max-retries 1 --dry-run`;

/** `baton run`: carries out a plan file, a goal in words, or an unfinished run. */
export const addRun: AddCommands = (program, define) => {
  const command = program
    .command('run')
    .argument('[plan-or-goal]', 'a plan file (plan.yaml; - for standard input), or a goal in words')
    .description('run a plan or a goal: agents work in worktrees, proven work lands on the target branch')
    .option('--repo <path>', 'the repository, if it is not the current folder')
    .option('--target <branch>', 'branch that work lands on; default: an integration branch baton/<run>')
    .option('--pull-requests', 'each task becomes a pull request into the target, which somebody merges')
    .option('--no-pull-requests', 'work lands on the target itself, whatever the plan says')
    .option('--agent <name>', 'agent of steps that name none', agentName)
    .option('--model <name>', 'model of steps that name none, e.g. sonnet or gpt-6-sol')
    .option(
      '--effort <level>',
      'how much steps that name none are thought about: low, medium, high',
      effortOf,
    )
    .option('--budget <usd>', 'US dollars that the run may spend, in place of those of the plan', budgetOf)
    .option('--max-cost <usd>', 'US dollars that every step may cost, all its tries together', dollars)
    .option(
      '--capacity <n>',
      'agents at work at once; default: number of cores',
      wholeNumber({ from: 1, to: 200 }),
    )
    .option('--allow-red <gate...>', 'gates that may be red on the base')
    .option('--max-retries <n>', 'further tries of every step', wholeNumber({ from: 0, to: 20 }))
    .option('--review', 'only plan: wait for a person before any step starts (exit 3)')
    .option('--resume [run]', 'carry an unfinished run on; the newest of this repository when none is named')
    .option(
      '--restore-target',
      'with --resume: put a target that was deleted or moved back on what had landed',
    )
    .option('-y, --yes', 'do not ask before a goal is carried out')
    .option('--dry-run', 'check everything and say what would be done')
    .addHelpText('after', help);
  define(command, (call, what: string | undefined, options: RunOptions) => runPlan(call, what, options));
};
