import { causeVariables, runRouting, type AgentDefinition } from '@baton/contracts';
import type { Route } from '@baton/router-cost';
import { agentEnvironment } from '@baton/spawner';
import type { Claim, Run, Task } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';

/**
 * How hard an agent is asked to think. Models that do not think refuse the setting: an in-process agent, whose model
 * only the plan knows, gets only what task or role name, while an agent of its own offers what can be set.
 */
export function effortOf(
  run: Pick<Run, 'routing'>,
  {
    task,
    route,
    definition,
  }: {
    task: Pick<Task, 'role' | 'effort'> | undefined;
    route: Pick<Route, 'effort'>;
    definition: AgentDefinition;
  },
): Route['effort'] {
  if (!('in_process' in definition) || task === undefined) return route.effort;
  const roles = runRouting.safeParse(run.routing).data?.roles ?? {};
  const ofRole = Object.hasOwn(roles, task.role) ? roles[task.role]?.effort : undefined;
  return (task.effort ?? ofRole) === undefined ? null : route.effort;
}

/**
 * The agent's login is the operator's own: it lies in the operator's home, or in the variables that this agent reads. Events that it
 * sends carry their cause, so that loops end. Source: docs/spec/triggers.md#limits.
 */
export function environmentOf(
  ctx: Pick<WorkerContext, 'operatorEnv'>,
  { claim: { run, tasks }, definition }: { claim: Claim; definition: AgentDefinition },
): Record<string, string> {
  const extra = causeVariables({ runId: run.id, depths: tasks.map(({ task }) => task.source.depth ?? 0) });
  return agentEnvironment({ base: ctx.operatorEnv, definition, extra, home: null });
}
