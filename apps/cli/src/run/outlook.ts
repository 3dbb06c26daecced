import { commandText, type Plan } from '@baton/contracts';

import type { AgentUse } from './check-agents.ts';
import type { ReviewerUse } from './check-reviewer.ts';
import { landsOn, type Target } from './choose-target.ts';
import { setUpText } from './detect.ts';

/** What a run would do, as far as it is certain before it starts. */
export interface Outlook {
  plan: Plan;
  target: Pick<Target, 'target' | 'isCheckedOut' | 'requests'>;
  agents: readonly AgentUse[];
  reviewer: ReviewerUse | null;
}

/** The same as data, for `--json`. Money in micro-dollars; null: no limit, or an agent's own default. */
export interface OutlookView {
  agents: { name: string; model: string | null; effort: string | null; tasks: string[] }[];
  /** Null: no agent reads the work before it lands. */
  reviewer: ReviewerUse | null;
  budgetMicroUsd: number | null;
  /** Of the steps; null where one of them has none. */
  maxCostMicroUsd: number | null;
  setUp: string | null;
  gates: { name: string; command: string[]; required: boolean }[];
  target: string;
  /** What keeps agents apart from the rest of this machine. */
  isolation: 'none';
}

/** What a run would be carried out with. Pure. */
export function outlookView({ plan, target, agents, reviewer }: Outlook): OutlookView {
  const costs = plan.stages.flatMap(({ steps }) => steps.map((step) => step.max_cost ?? null));
  const known = costs.filter((cost) => cost !== null);
  return {
    agents: agents.map(({ name, model, effort, tasks }) => ({ name, model, effort, tasks })),
    reviewer,
    budgetMicroUsd: plan.budget?.usd ?? null,
    maxCostMicroUsd: known.length < costs.length || known.length === 0 ? null : Math.max(...known),
    setUp: plan.workspace === undefined ? null : setUpText(plan.workspace),
    gates: plan.gates.map(({ name, command, required }) => ({ name, command: [...command], required })),
    target: landsOn(target),
    isolation: 'none',
  };
}

/** The lines that are printed before a run starts, and confirmed by the user where it is a goal. Pure. */
export function outlookLines(outlook: Outlook): string[] {
  const view = outlookView(outlook);
  const gates = view.gates.map(
    ({ name, command, required }) => `${name} (${commandText(command)}${required ? '' : ', only reported'})`,
  );
  const rows: [string, string][] = [
    ['agent', view.agents.map(agentText).join('; ')],
    ...(view.reviewer === null ? [] : ([['reviewer', reviewerText(view.reviewer)]] as [string, string][])),
    ['money', moneyText(view)],
    ['set-up', view.setUp ?? 'none'],
    ['gates', gates.join(', ') || 'none: only that the work changes something and merges'],
    ['target', `${view.target}${outlook.target.isCheckedOut ? ', which you have checked out' : ''}`],
    ['isolation', 'none: agents run with your rights, each in a worktree of its own'],
  ];
  return rows.map(([name, text]) => `  ${name.padEnd(10)} ${text}`);
}

function agentText(
  { name, model, effort, tasks }: OutlookView['agents'][number],
  _: number,
  all: unknown[],
): string {
  const parts = [
    ...(model === null ? (effort === null ? [] : ['its own default model']) : [`model ${model}`]),
    ...(effort === null ? [] : [`effort ${effort}`]),
  ];
  const which = all.length > 1 ? ` for ${tasks.slice(0, 3).join(', ')}${tasks.length > 3 ? ', …' : ''}` : '';
  return `${name}${parts.length > 0 ? `, ${parts.join(', ')}` : ''}${which}`;
}

const reviewerText = ({ name, model }: ReviewerUse): string =>
  `${name}${model === null ? '' : `, model ${model}`}, which reads each change before it lands`;

function moneyText({ budgetMicroUsd, maxCostMicroUsd }: OutlookView): string {
  const parts = [
    ...(budgetMicroUsd === null ? [] : [`at most ${dollars(budgetMicroUsd)} in all`]),
    ...(maxCostMicroUsd === null ? [] : [`at most ${dollars(maxCostMicroUsd)} a step`]),
  ];
  return parts.join(', ') || 'no limit (`--budget` sets one)';
}

const dollars = (microUsd: number): string =>
  `$${(microUsd / 1_000_000).toFixed(microUsd % 10_000 === 0 ? 2 : 6)}`;
