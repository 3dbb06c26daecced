import { BatonError, plan, type AgentDefinition, type Plan } from '@baton/contracts';

import { goalPlan, isGoal } from './goal-plan.ts';

/** The one file that a planning agent writes, in its worktree. It is on no branch of the user's but the run's own. */
export const draftName = 'baton-plan.yaml';

/** An example that each planning agent is shown; the plan schema takes it. */
export const exampleDraft = `name: iso-weeks
stages:
  - name: build
    steps:
      - key: parser
        title: Parse ISO weeks
        goal: |
          parseDate() in src/date.ts accepts ISO weeks such as 2026-W05 and gives the Monday of that week.
          An invalid week (2026-W54) throws the RangeError that invalid days throw today.
        files: [src/date.ts, test/date.test.ts]
        scope: small
        signals:
          - { type: file_contains, path: test/date.test.ts, text: W05 }
      - key: help
        title: Describe ISO weeks in the help text
        goal: The --date option in src/options.ts names ISO weeks with an example.
        files: [src/options.ts]
        scope: small
  - name: docs
    depends_on: [build]
    steps:
      - key: changelog
        title: Add ISO weeks to the changelog
        goal: CHANGELOG.md has one line about ISO weeks under "Unreleased", in the style of the lines there.
        role: docs
        files: [CHANGELOG.md]
        scope: small
`;

/** What the planning agent is asked for. Pure. */
function promptOf(goal: string): string {
  return `Write a plan for the goal below. Do not carry it out: write the file ${draftName} and change nothing else.

The goal:

${goal}

Read what the goal touches in this repository first. The plan is a YAML file. Other agents carry it out, each step by an
agent that sees the repository and its own step, and neither this goal nor the other steps.

- As few steps as make sense: one where one agent can do it in one sitting, seldom more than eight.
- "goal" says what is true afterwards, with the names of files, functions and commands, so that somebody who
  reads nothing else can do it and somebody else can check it. No steps that only look, plan or report.
- After each step the repository builds and its tests pass: code and the tests for it belong to one step.
- "files" are the paths (or folders) that the step changes, tests included; it may change no others. Steps that run side
  by side share none.
- "depends_on" names keys of steps whose result a step needs, and nothing else: the rest runs side by side. A stage's
  "depends_on" names stages.
- "signals" are what must hold on the finished work beyond the repository's own checks. Types: path_exists (path),
  glob_exists (pattern), file_contains and file_not_contains (path, text), command_succeeds (command, a list of
  arguments without a shell), diff_within (paths). Leave them out where the repository's tests say enough.
- "scope" is small, medium, large or xl; "role" is backend, frontend, qa, docs, devops, data, security or architect.
- Agents, gates, set-up, budget and target are not yours to decide: leave those keys out.

An example:

${exampleDraft}`;
}

/**
 * A goal in words as a run of one step whose agent writes a plan. What it writes is proven like other work: the step is accepted
 * when `check`, a command of Baton's own, takes the file.
 * @param options.check command that gets the file's name and succeeds when it is a plan
 * @throws INVALID_INPUT when the goal is no sentence
 */
export function planningPlan(
  goal: string,
  { check, agent }: { check: readonly string[]; agent: string | AgentDefinition | undefined },
): Plan {
  const text = goal.trim();
  if (!isGoal(text))
    throw new BatonError('INVALID_INPUT', text === '' ? 'The goal is empty.' : `"${text}" is no goal.`, {
      fix: 'Describe the goal in several words: `baton plan "make the date parser accept ISO weeks, with tests"`.',
    });
  const { name, stages } = goalPlan(text, { gates: [], workspace: null, agent });
  const title = stages[0]?.steps[0]?.title ?? text;
  const step = {
    key: 'plan',
    title: `Plan: ${title}`.slice(0, 120),
    goal: promptOf(text),
    role: 'architect',
    files: [draftName],
    files_strict: true,
    signals: [{ type: 'command_succeeds', command: [...check, draftName] }],
  };
  return plan.parse({
    name: `plan-${name}`,
    ...(agent === undefined ? {} : { agent }),
    stages: [{ name: 'plan', steps: [step] }],
  });
}

/** Whether a run is one of {@link planningPlan}: what it lands is a plan. */
export function isPlanning(given: unknown): boolean {
  const steps = plan.safeParse(given).data?.stages.flatMap((stage) => stage.steps) ?? [];
  return steps.length === 1 && steps[0]?.key === 'plan' && steps[0].files.join() === draftName;
}
