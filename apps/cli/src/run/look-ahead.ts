import { accessSync, constants } from 'node:fs';
import path from 'node:path';

import { BatonError, routingOf, type Plan, type RepoConfig } from '@baton/contracts';
import { loadPlugins } from '@baton/plugins';

import type { Call } from '../terminal/call.ts';
import { formatAmount } from '../terminal/format.ts';
import { unmatchedGatePaths } from '../plan/gate-paths.ts';
import { commandsOf, shellLine } from '../plan/shell-line.ts';
import { lookAtAgents, type AgentUse } from './check-agents.ts';
import { lookAtReviewer, type ReviewerUse } from './check-reviewer.ts';
import type { PreparedPlan } from './prepare-plan.ts';

/** All that can be known of a plan without running it. */
export interface LookAhead {
  agents: AgentUse[];
  /** Null: no agent reads the work before it lands. */
  reviewer: ReviewerUse | null;
  /** What would end it. */
  problems: BatonError[];
  /** What may be right elsewhere, e.g. on another machine. */
  warnings: string[];
}

/**
 * Looks for everything that could not work: agents, models, money, variables, programs and shell lines of a plan, and plugins
 * of the repository at `root`, if there is one.
 */
export async function lookAhead(
  call: Pick<Call, 'env'>,
  prepared: PreparedPlan,
  { root }: { root: string | null },
): Promise<LookAhead> {
  const { plan, config, tasks } = prepared;
  const run = { agents: plan.agents, defaultAgent: plan.agent ?? null, routing: routingOf(config) };
  const budgetMicroUsd = plan.budget?.usd ?? null;
  const { uses, problems, routes } = await lookAtAgents(call, { tasks, run, budgetMicroUsd });
  const reviews = await lookAtReviewer(call, { tasks, run, routes, budgetMicroUsd });
  const commands = commandsOf(plan);
  const lines = commands.flatMap(({ at, argv }) => {
    const wrong = shellLine(argv);
    return wrong === null ? [] : [new BatonError('PLAN_INVALID', wrong.message, { at, fix: wrong.fix })];
  });
  const unloadable = root === null ? [] : await pluginProblems(root, prepared.config);
  const missing = commands.filter(({ argv }) => shellLine(argv) === null && !isThere(argv[0] ?? '', call));
  return {
    agents: uses,
    reviewer: reviews.reviewer,
    problems: [...problems, ...reviews.problems, ...lines, ...unloadable],
    warnings: [
      ...missing.map(({ at, argv }) => `${at}: ${argv[0] ?? ''} is not installed here, or not in PATH.`),
      ...(root === null ? [] : unmatchedGatePaths(root, plan)),
      ...costsAboveBudget(plan),
    ],
  };
}

/** Steps that may cost more than their run may spend: the budget ends them first. */
function costsAboveBudget({ budget, stages }: Plan): string[] {
  const most = budget?.usd;
  if (most === undefined) return [];
  return stages
    .flatMap(({ steps }) => steps)
    .flatMap(({ key, title, max_cost: cost }) =>
      cost === undefined || cost <= most
        ? []
        : [
            `${key ?? title}: max_cost (or --max-cost) ${formatAmount(cost)} is more than the budget of the whole run, ${formatAmount(most)}: the budget stops it first. Lower the one or raise the other (--budget).`,
          ],
    );
}

/** Plugins that cannot be loaded, or whose options are wrong. */
async function pluginProblems(root: string, { plugins }: RepoConfig): Promise<BatonError[]> {
  const looked = plugins.map(async (entry) => {
    try {
      await loadPlugins({ entries: [entry], resolveFrom: root });
      return [];
    } catch (error) {
      if (BatonError.is(error, 'PLUGIN_INVALID')) return [error];
      throw error;
    }
  });
  return (await Promise.all(looked)).flat();
}

/**
 * Ends a command with what was found. One problem is its own error; several are one error that lists them all.
 * @throws the problem, or the code of the first with every message and its way out
 */
export function refuseProblems(problems: readonly BatonError[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const lines = problems.map(
    ({ code, at, message, fix }) =>
      `${at === undefined ? '' : `${at}: `}${code}: ${message}${fix === undefined ? '' : ` ${fix}`}`,
  );
  throw new BatonError(
    first.code,
    [`${problems.length} things are wrong with this plan:`, ...lines].join('\n'),
    {
      details: {
        problems: problems.map(({ code, at, message, fix }) => ({ code, at, message, fix })),
      },
      cause: first,
    },
  );
}

/** A program that lies in the worktree, or that set-up may put there, is not looked for. */
function isThere(program: string, { env }: Pick<Call, 'env'>): boolean {
  if (program.includes('/')) return true;
  return (env.all['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
