import { isDeepStrictEqual } from 'node:util';
import { BatonError, runRouting, type Plan } from '@baton/contracts';
import type { RunDefaults } from '@baton/task-store';

/** What a run is judged by and set up with. */
export type Judged = Pick<RunDefaults, 'gates' | 'agents' | 'workspace' | 'routing'>;

/**
 * What a submitted plan is judged by: the gates, set-up and agents that the operator pinned for the repository, and what
 * the plan adds to them. It replaces none of them and lets none of the required gates be red: the one who submits
 * work does not choose who judges it (decision 0021).
 * @param pinned null: nothing is pinned for this repository, so the plan says it all
 * @throws PLAN_INVALID naming what is pinned, with its place
 */
export function pinnedPlan(plan: Plan, pinned: RunDefaults | null): Judged {
  if (pinned === null) {
    return { gates: plan.gates, agents: plan.agents, workspace: plan.workspace ?? null, routing: null };
  }
  const gates = new Map(pinned.gates.map((gate) => [gate.name, gate]));
  plan.gates.forEach((gate, at) => {
    const own = gates.get(gate.name);
    if (own !== undefined && !isDeepStrictEqual(own, gate))
      throw pinnedAt(`gates.${at}`, `the gate "${gate.name}"`);
  });
  for (const [name, agent] of Object.entries(plan.agents)) {
    const own = Object.hasOwn(pinned.agents, name) ? pinned.agents[name] : undefined;
    if (own !== undefined && !isDeepStrictEqual(own, agent))
      throw pinnedAt(`agents.${name}`, `the agent "${name}"`);
  }
  const reviewer = runRouting.safeParse(pinned.routing ?? {}).data?.reviewer?.agent;
  if (
    typeof reviewer === 'string' &&
    Object.hasOwn(plan.agents, reviewer) &&
    !Object.hasOwn(pinned.agents, reviewer)
  )
    throw pinnedAt(`agents.${reviewer}`, `the reviewer "${reviewer}"`);
  if (plan.workspace && pinned.workspace && !isDeepStrictEqual(plan.workspace, pinned.workspace))
    throw pinnedAt('workspace', 'the set-up of the workspace');
  if (plan.weakened === 'tell') throw pinnedAt('weakened', 'that weakened tests and gates are held');
  for (const { name, at } of redAllowed(plan)) {
    if (gates.get(name)?.required === true) throw pinnedAt(at, `the gate "${name}"`);
  }
  return {
    gates: [...pinned.gates, ...plan.gates.filter((gate) => !gates.has(gate.name))],
    agents: { ...plan.agents, ...pinned.agents },
    workspace: pinned.workspace ?? plan.workspace ?? null,
    routing: pinned.routing,
  };
}

/** Gates that a plan or one of its steps lets be red, with the place that says so. */
function redAllowed(plan: Plan): { name: string; at: string }[] {
  const ofSteps = plan.stages.flatMap((stage, stageAt) =>
    stage.steps.flatMap((step, stepAt) =>
      step.allow_red.map((name, at) => ({ name, at: `stages.${stageAt}.steps.${stepAt}.allow_red.${at}` })),
    ),
  );
  return [...plan.allow_red.map((name, at) => ({ name, at: `allow_red.${at}` })), ...ofSteps];
}

function pinnedAt(at: string, what: string): BatonError {
  return new BatonError(
    'PLAN_INVALID',
    `The plan is not valid: ${at}: ${what} is pinned for this repository.`,
    {
      at,
      fix: 'Leave it out, and add gates and agents under names of their own.',
    },
  );
}
