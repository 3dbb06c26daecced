import type { Gate, Plan, PlanStep, RepoConfig } from '@baton/contracts';

/** What the options of `baton run` say; they win over the plan, which wins over `baton.yaml`. */
export interface PlanOverrides {
  target?: string | undefined;
  agent?: string | undefined;
  allowRed?: readonly string[] | undefined;
  maxRetries?: number | undefined;
  /** Of steps that name none. */
  model?: string | undefined;
  effort?: 'low' | 'medium' | 'high' | undefined;
  /** In micro-dollars: what the run may spend, and what every step may cost. */
  budget?: number | undefined;
  maxCost?: number | undefined;
  review?: boolean | undefined;
  /** Whether each task becomes a pull request. */
  pullRequests?: boolean | undefined;
}

/** The plan as it will be carried out: `baton.yaml`, then the plan file, then the options, the later winning by name. */
export function mergePlan(plan: Plan, config: RepoConfig, overrides: PlanOverrides = {}): Plan {
  const target = overrides.target ?? plan.target ?? config.target;
  const landing = landingOf(overrides) ?? plan.landing ?? config.landing;
  const agent = overrides.agent ?? plan.agent ?? config.agent;
  const workspace = plan.workspace ?? config.workspace;
  const commits = { ...config.commits, ...plan.commits };
  const filesStrict = plan.files_strict ?? config.files_strict;
  const candidates = plan.candidates ?? config.candidates;
  const weakened = plan.weakened ?? config.weakened;
  const verifyAhead = plan.verify_ahead ?? config.verify_ahead;
  const flakyAbove = plan.flaky_above ?? config.flaky_above;
  const history = plan.history ?? config.history;
  return {
    ...plan,
    ...(target === undefined ? {} : { target }),
    ...(landing === undefined ? {} : { landing }),
    ...(agent === undefined ? {} : { agent }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(Object.keys(commits).length === 0 ? {} : { commits }),
    ...(filesStrict === undefined ? {} : { files_strict: filesStrict }),
    ...(candidates === undefined ? {} : { candidates }),
    ...(weakened === undefined ? {} : { weakened }),
    ...(verifyAhead === undefined ? {} : { verify_ahead: verifyAhead }),
    ...(history === undefined ? {} : { history }),
    ...(flakyAbove === undefined ? {} : { flaky_above: flakyAbove }),
    ...(overrides.budget === undefined ? {} : { budget: { ...plan.budget, usd: overrides.budget } }),
    agents: { ...config.agents, ...plan.agents },
    gates: mergeGates(config.gates, plan.gates),
    allow_red: [...new Set([...plan.allow_red, ...(overrides.allowRed ?? [])])],
    review: overrides.review ?? plan.review,
    stages: plan.stages.map((stage) => ({
      ...stage,
      steps: stage.steps.map((step) => overrideStep(step, overrides)),
    })),
  };
}

function landingOf({ pullRequests }: PlanOverrides): Plan['landing'] {
  if (pullRequests === undefined) return undefined;
  return pullRequests ? 'pull_request' : 'target';
}

function overrideStep(step: PlanStep, { model, effort, maxCost, maxRetries }: PlanOverrides): PlanStep {
  return {
    ...step,
    max_retries: maxRetries ?? step.max_retries,
    ...(model === undefined || step.model !== undefined ? {} : { model }),
    ...(effort === undefined || step.effort !== undefined ? {} : { effort }),
    ...(maxCost === undefined ? {} : { max_cost: maxCost }),
  };
}

function mergeGates(shared: readonly Gate[], own: readonly Gate[]): Gate[] {
  return [...new Map([...shared, ...own].map((gate) => [gate.name, gate])).values()];
}
