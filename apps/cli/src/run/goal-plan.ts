import {
  BatonError,
  plan,
  type AgentDefinition,
  type Gate,
  type Plan,
  type WorkspaceSetup,
} from '@baton/contracts';
import { keyFromTitle } from '@baton/contracts';

/** Whether the argument of `baton run` is a goal in words and no plan file. */
export function isGoal(what: string): boolean {
  return /\s/.test(what.trim()) && !/\.ya?ml$/.test(what.trim());
}

/**
 * A goal in words as a plan of one step, with the set-up and the gates that the repository seems to have.
 * @throws INVALID_INPUT when the goal is empty
 */
export function goalPlan(
  goal: string,
  {
    gates,
    workspace,
    agent,
  }: {
    gates: readonly Gate[];
    workspace: WorkspaceSetup | null;
    agent: string | AgentDefinition | undefined;
  },
): Plan {
  const text = goal.trim();
  if (text === '')
    throw new BatonError('INVALID_INPUT', 'The goal is empty.', {
      fix: 'Describe the goal in words.',
    });
  const [first = text] = text.split('\n');
  const title = first.length > 120 ? `${first.slice(0, 119)}…` : first;
  const parsed = plan.parse({
    name: keyFromTitle(title).split('-').slice(0, 4).join('-').slice(0, 40),
    ...(agent === undefined ? {} : { agent }),
    stages: [{ name: 'goal', steps: [{ title, goal: text, scope: 'large' }] }],
  });
  return { ...parsed, gates: [...gates], ...(workspace === null ? {} : { workspace }) };
}
