/** One step of a plan. */
export interface PlanStep {
  readonly index: number;
  readonly description: string;
  /** tool_call, respond, generate, or a later kind. */
  readonly actionType: string;
  readonly actionParams: Readonly<Record<string, unknown>>;
  readonly completed: boolean;
}

/** What the reasoning stage decided to do. Source: docs/spec/kernel.md#plan-of-a-cognitive-task. */
export interface Plan {
  readonly goal: string;
  readonly steps: readonly PlanStep[];
  /** Why this plan. */
  readonly reasoning: string;
}

/** The next step that is not completed, or null. */
export function currentStep(plan: Plan): PlanStep | null {
  return plan.steps.find((step) => !step.completed) ?? null;
}

/** Is a step still open? */
export function hasMoreSteps(plan: Plan): boolean {
  return currentStep(plan) !== null;
}

/** The plan with the step of that `index` completed; the same plan where there is none or it already is. */
export function markStepDone(plan: Plan, index: number): Plan {
  if (!plan.steps.some((step) => step.index === index && !step.completed)) return plan;
  return {
    ...plan,
    steps: plan.steps.map((step) => (step.index === index ? { ...step, completed: true } : step)),
  };
}

/**
 * Where acting goes when a step is over. A failed tool call routes like a success: the plan alone decides.
 *
 * @returns acting while a step is open; else reasoning if the plan holds any tool call; else (also for a missing or
 * empty plan) completed. Source: docs/spec/kernel.md#completion-routing
 */
export function completionRoute(plan: Plan | null): 'acting' | 'reasoning' | 'completed' {
  if (plan === null) return 'completed';
  if (hasMoreSteps(plan)) return 'acting';
  return plan.steps.some((step) => step.actionType === 'tool_call') ? 'reasoning' : 'completed';
}
