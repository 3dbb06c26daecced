import {
  BatonError,
  commandText,
  planTasks,
  type Gate,
  type Plan,
  type RepoConfig,
  type TaskDraft,
  type WorkspaceSetup,
} from '@baton/contracts';

import type { Call } from '../terminal/call.ts';
import { loadConfig } from '../plan/load-config.ts';
import { loadPlan } from '../plan/load-plan.ts';
import { mergePlan, type PlanOverrides } from '../plan/merge-plan.ts';
import type { Project } from '../project/project.ts';
import { refuseUnknownGates } from './create-run.ts';
import { detect, setUpText } from './detect.ts';
import { goalPlan, isGoal } from './goal-plan.ts';

/** What is to be carried out: the plan with `baton.yaml` and the options merged in, and its tasks. */
export interface PreparedPlan {
  plan: Plan;
  tasks: TaskDraft[];
  config: RepoConfig;
  /** The plan was made from a goal in words. */
  isGoal: boolean;
}

/**
 * Reads a plan file, or makes a plan of a goal in words.
 * @throws FILE_MISSING, PLAN_INVALID, PLAN_EMPTY, PLAN_CYCLE, CONFIG_INVALID
 */
export async function preparePlan(
  call: Call,
  { what, project, overrides }: { what: string; project: Project; overrides: PlanOverrides },
): Promise<PreparedPlan> {
  const by = call.env.user;
  if (isGoal(what)) {
    const config = await loadConfig(project.root);
    const found = await detectFor(call, { project, config });
    const agent = overrides.agent ?? config.agent;
    const plan = mergePlan(goalPlan(what, { ...found, agent }), config, overrides);
    return finish({
      plan,
      config,
      isGoal: true,
      tasks: planTasks(plan, { source: { kind: 'goal', by, trusted: true } }),
    });
  }
  const source = { kind: 'plan' as const, by, trusted: true };
  const loaded = await loadPlan(what, { cwd: call.cwd, stdin: call.streams.stdin, source }).catch(
    (error: unknown) => {
      throw explainMissing(what, error);
    },
  );
  const config = await loadConfig(project.root);
  const plan = mergePlan(loaded.plan, config, overrides);
  return finish({ plan, config, isGoal: false, tasks: planTasks(plan, { source }) });
}

/** What `baton.yaml` leaves open is found as `baton init` finds it, and said. */
async function detectFor(
  call: Call,
  { project, config }: { project: Project; config: RepoConfig },
): Promise<{ gates: Gate[]; workspace: WorkspaceSetup | null }> {
  const isOpen = { gates: config.gates.length === 0, workspace: config.workspace === undefined };
  if (!isOpen.gates && !isOpen.workspace) return { gates: [], workspace: null };
  const found = await detect(call, project);
  const gates = isOpen.gates ? found.gates.map(({ gate }) => gate) : [];
  const workspace = isOpen.workspace ? found.workspace : null;
  const gateText = gates.map(({ name, command }) => `${name} (${commandText(command)})`).join(', ') || 'none';
  const said = [
    ...(workspace !== null ? [`Set-up found: ${setUpText(workspace)}.`] : []),
    ...(isOpen.gates ? [`Gates found: ${gateText}.`] : []),
  ];
  if (said.length > 0)
    call.out.note(call.out.noteColors.dim(`${said.join(' ')} \`baton init\` writes down what is found.`));
  for (const warning of found.warnings) call.out.warn(warning);
  return { gates, workspace };
}

function finish(prepared: PreparedPlan): PreparedPlan {
  refuseUnknownGates(prepared.plan);
  return prepared;
}

/** One word that is no file may have been meant as a goal. */
function explainMissing(what: string, error: unknown): unknown {
  if (!BatonError.is(error, 'FILE_MISSING') || /\.ya?ml$/.test(what)) return error;
  return new BatonError('FILE_MISSING', error.message, {
    at: what,
    fix: 'Name a plan file, or say the goal in several words: `baton run "fix the flaky login test"`.',
    cause: error,
  });
}
