/** Pages of `baton help <topic>`: what several commands have in common. */
export const helpTopics: Readonly<Record<string, string>> = {
  plans: `A plan names steps, who does each, and what must hold for its work to land.

  $ baton init                        writes an example, plan.yaml
  $ baton plan check plan.yaml        says what is wrong with a plan, and starts nothing
  $ baton plan "goal in words"        has an agent write a plan for you to read
  $ baton run plan.yaml --dry-run     says what would be done, with which agent, money and gates
  $ baton plan schema                 all keys, as JSON Schema for an editor`,
  budgets: `Money is reserved before an agent spends it. Two limits, in US dollars with at most 6 digits after the point:

  budget: { usd: 5 }    in the plan, or --budget 5: what the whole run may spend
  max_cost: 0.50        of a step, or --max-cost 0.50 for every step: what all its tries may cost together

An option wins over the plan. The lower limit stops first; the run is warned about before it starts where a step may cost
more than its run.

  $ baton cost                        what was spent
  $ baton budget 10                   raise, lower or lift what the newest run may spend`,
  approvals: `A step with \`approval: true\`, and work that weakens tests it does not own, waits for a person (exit code 3).

  $ baton approve                     what waits; on a terminal it asks about each
  $ baton diff <task>                 its work
  $ baton approve <task>              let it land
  $ baton reject <task> --say "…"     send it back, with your words in the next prompt
  $ baton plan approve                let the steps of a run that was started with --review begin`,
  agents: `An agent is named by a plan (agent:), by --agent, or by baton.yaml: a coding agent that is installed and logged in, one
that baton.yaml defines, or any command. An option is for steps that name none.

  $ baton doctor --probe              which agents are here, logged in and answer
  $ baton agents --models             which models they offer
  $ baton run "goal" --agent codex    one agent, one goal`,
  recovery: `Nothing that an agent made is lost when a process ends.

  $ baton explain <task>              why a task does not move, and who moves it next
  $ baton run --resume                carry the newest unfinished run on
  $ baton retry <task>                one more try for a failed task
  $ baton rescue                      work that agents left behind`,
  'exit-codes': `0    done: every task landed
1    something is not: a task failed, doctor or verify-audit found something
2    bad input, or nothing can run
3    a person must decide first
130  interrupted; the run can be resumed`,
};
