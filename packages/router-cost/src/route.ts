import { parseInput, runRouting, type Effort, type Routing } from '@baton/contracts';
import { budgetRoom, budgetStep } from './budget.ts';
import { cascade, type Strength } from './cascade.ts';
import { chooseAgent, type ChosenAgent } from './choose-agent.ts';
import { rung } from './ladder.ts';
import { checkMicroUsd } from './money.ts';
import { hasPrice } from './price.ts';
import type { NoRoute, RouteDecision, RouteInput } from './route-types.ts';

/**
 * Decides who does a task: agent, then model and effort (table, then cascade by the kind of earlier failures), then the
 * budget. Pure: the same input gives the same answer, and every step leaves its reason. A `command` agent has no model,
 * counts as free and is not held up by a budget.
 * @throws CONFIG_INVALID for a `routing` of the wrong shape, INVALID_INPUT for an amount of the budget that is none
 */
export function route(input: RouteInput): RouteDecision {
  checkMicroUsd(input.budget.reservationMicroUsd, 'reservationMicroUsd');
  const routing = readRouting(input.run.routing);
  const agent = chooseAgent(input, routing);
  if (!agent.ok) return agent;
  const found = { ok: true, agentName: agent.name, definition: agent.definition } as const;
  if (agent.definition !== null && 'command' in agent.definition) {
    const reasons = [agent.reason, 'a command reports no cost and counts as free'];
    return { ...found, model: null, effort: null, reservationMicroUsd: 0, reasons };
  }
  const wanted = chooseStrength(input, { agent, routing });
  if (wanted.model === null && needsModel(input, agent)) {
    return {
      ok: false,
      code: 'AGENT_MISSING',
      message: `The agent "${agent.name}" needs a model, and none is named (${agent.reason}).`,
      fix: 'Set "model" to provider/model on the step or for its role, or "in_process" in the agent.',
    };
  }
  const affordable = withinLadder(input, { wanted, routing });
  const { reservationMicroUsd } = input.budget;
  const refusal = refuseForMoney(input, { model: affordable.model, reservationMicroUsd, agent });
  if (refusal !== null) return refusal;
  const reasons = [agent.reason, ...affordable.reasons];
  if (input.budget.capMicroUsd !== null)
    reasons.push(`reserved ${dollars(reservationMicroUsd)} of the budget`);
  return { ...found, model: affordable.model, effort: affordable.effort, reservationMicroUsd, reasons };
}

function readRouting(value: unknown): Routing {
  return parseInput(runRouting, value ?? {}, {
    what: 'The routing of the repository',
    code: 'CONFIG_INVALID',
  });
}

function chooseStrength(input: RouteInput, options: { agent: ChosenAgent; routing: Routing }): Strength {
  const { task, history, catalog } = input;
  const { agent, routing } = options;
  const table = Object.hasOwn(routing.roles, task.role) ? routing.roles[task.role] : undefined;
  const model = task.model ?? table?.model ?? modelOf(agent.definition);
  const effort = task.effort ?? table?.effort ?? fittingEffort(task);
  const source = (own: unknown, ofTable: unknown) =>
    own !== null
      ? 'the task names it'
      : ofTable === undefined
        ? null
        : `the role table gives it to "${task.role}"`;
  const reasons = [
    model === null
      ? "model: the agent's own default, none is named"
      : `model ${model}: ${source(task.model, table?.model) ?? "it is the agent's"}`,
    `effort ${effort}: ${source(task.effort, table?.effort) ?? `complexity ${task.complexity}, risk ${task.risk}`}`,
  ];
  const pinned = { model: task.model !== null, effort: task.effort !== null };
  const stronger = cascade({ model, effort }, { history, pinned, routing, catalog });
  return { ...stronger, reasons: [...reasons, ...stronger.reasons] };
}

function modelOf(definition: ChosenAgent['definition']): string | null {
  if (definition === null) return null;
  if ('in_process' in definition) return definition.in_process;
  return 'acp' in definition ? (definition.model ?? null) : null;
}

/** An agent that is nothing but a loop around a model cannot begin without one. */
function needsModel(input: RouteInput, { name, definition }: ChosenAgent): boolean {
  if (definition !== null) return 'in_process' in definition;
  return input.installed.some((one) => one.name === name && one.needsModel === true);
}

function fittingEffort(task: RouteInput['task']): Effort {
  return task.risk === 'high' ? 'high' : task.complexity;
}

function withinLadder(input: RouteInput, options: { wanted: Strength; routing: Routing }): Strength {
  const { wanted, routing } = options;
  if (budgetStep(input.budget) !== 'cheaper' || wanted.model === null) return wanted;
  const why = '80 % of the budget is spent';
  if (input.task.model !== null) {
    return { ...wanted, reasons: [...wanted.reasons, `${why}, but the task names its model`] };
  }
  const cheaper = rung(wanted.model, { by: -1, routing, catalog: input.catalog });
  if (cheaper === null)
    return { ...wanted, reasons: [...wanted.reasons, `${why}, but no cheaper model is known`] };
  return {
    ...wanted,
    model: cheaper,
    reasons: [...wanted.reasons, `model ${wanted.model} → ${cheaper}: ${why}`],
  };
}

function refuseForMoney(
  input: RouteInput,
  options: { model: string | null; reservationMicroUsd: number; agent: ChosenAgent },
): NoRoute | null {
  const { budget, catalog, at } = input;
  const { model, reservationMicroUsd, agent } = options;
  if (input.unmeasuredAgents?.includes(agent.name) === true) {
    return {
      ok: false,
      code: 'PRICE_UNKNOWN',
      message: `The agent "${agent.name}" does not report all that it spends, and the plan refuses such agents.`,
      fix: 'Give the step another agent, or set "unmeasured: book" in the budget of the plan.',
    };
  }
  if (budget.capMicroUsd === null) return null;
  const step = budgetStep(budget);
  const spent = `${dollars(budget.spentMicroUsd)} of ${dollars(budget.capMicroUsd)} are spent`;
  if (step === 'abort' || step === 'no_new_claims') {
    const message = `${spent}: from 95 % on no task with a price is started.`;
    return {
      ok: false,
      code: 'BUDGET_EXCEEDED',
      message,
      fix: 'Raise the budget of the run, then retry the task.',
    };
  }
  if (input.costTellers?.includes(agent.name) === true) return roomFor(input, reservationMicroUsd);
  if (model === null || !hasPrice(catalog, model, at === undefined ? {} : { at })) {
    return {
      ok: false,
      code: 'PRICE_UNKNOWN',
      ...unknownPrice(model, agent),
    };
  }
  return roomFor(input, reservationMicroUsd);
}

/** What to do about a model without a known price, with the very lines to add. */
function unknownPrice(model: string | null, { name }: ChosenAgent): { message: string; fix: string } {
  if (model === null)
    return {
      message: `The run has a budget, and no model is named for the agent "${name}".`,
      fix: 'Name one with a known price (`model` of the step or the agent, or --model), or run without a budget.',
    };
  return {
    message: `The run has a budget, and the model "${model}" has no known price.`,
    fix: `Say in baton.yaml what a million of its tokens cost in US dollars: prices: { ${JSON.stringify(model)}: { input: 3, output: 15 } }. Or name a model with a known price, or run without a budget.`,
  };
}

function roomFor({ budget }: RouteInput, reservationMicroUsd: number): NoRoute | null {
  const spent = `${dollars(budget.spentMicroUsd)} of ${dollars(budget.capMicroUsd ?? 0)} are spent`;
  const others = budget.reservedMicroUsd - (budget.ownReservationMicroUsd ?? 0);
  const room = budgetRoom({ ...budget, reservedMicroUsd: Math.max(0, others) }) ?? reservationMicroUsd;
  if (reservationMicroUsd <= room) return null;
  return {
    ok: false,
    code: 'BUDGET_EXCEEDED',
    message: `The task reserves ${dollars(reservationMicroUsd)}, and ${dollars(room)} of the budget are free (${spent}).`,
    fix: 'Wait for running tasks to give back what they reserved, set a lower max_cost on the task, or raise the budget.',
  };
}

function dollars(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(microUsd % 10_000 === 0 ? 2 : 6)}`;
}
