import { keyFromTitle, keyName, requestsInto, type Plan } from '@baton/contracts';
import type { Run, Task } from '@baton/task-store';
import { stringify } from 'yaml';
import { z } from 'zod';

/** What of the plan a run keeps nowhere else. */
const kept = z.object({
  abort: z.unknown().optional(),
  reuse: z.object({ recycle: z.number().optional() }).optional(),
});

/**
 * The plan that a run would be made from again, as YAML: parsed, it gives the same tasks. Subtasks that agents made later are left
 * out: the agent that carries the parent out again makes them again.
 */
export function planYaml({
  run,
  tasks,
  dependencies,
}: {
  run: Run;
  tasks: readonly Task[];
  dependencies: readonly { taskId: string; dependsOnId: string }[];
}): string {
  const planned = tasks.filter((task) => task.parentId === null);
  const keys = new Map(planned.map((task) => [task.id, task.key]));
  const needs = (task: Task) =>
    dependencies.flatMap(({ taskId, dependsOnId }) =>
      taskId === task.id ? (keys.get(dependsOnId) ?? []) : [],
    );
  const { abort, reuse } = kept.safeParse(run.plan).data ?? {};
  return stringify(
    {
      name: keyName.safeParse(run.name).success ? run.name : keyFromTitle(run.name),
      ...(run.budgetMicroUsd === null ? {} : { budget: { usd: run.budgetMicroUsd / 1e6 } }),
      ...targetOf(run),
      batch_size: run.batchSize,
      ...(run.maxAgents === null ? {} : { max_agents: run.maxAgents }),
      trust: run.trust,
      review: run.review,
      ...listed('allow_red', run.allowRed),
      ...(Object.keys(run.agents).length === 0 ? {} : { agents: run.agents }),
      ...(run.defaultAgent === null ? {} : { agent: run.defaultAgent }),
      ...(run.workspace === null
        ? {}
        : { workspace: { ...run.workspace, setup_timeout: ms(run.workspace.setup_timeout) } }),
      ...(abort === undefined ? {} : { abort }),
      ...(reuse?.recycle === undefined
        ? {}
        : { reuse: { recycle: reuse.recycle === 0 ? 0 : ms(reuse.recycle) } }),
      ...listed(
        'gates',
        run.gates.map((gate) => ({ ...gate, timeout: ms(gate.timeout) })),
      ),
      stages: [{ name: 'all', steps: planned.map((task) => stepOf(task, needs(task))) }],
    } satisfies Partial<Record<keyof Plan, unknown>>,
    { lineWidth: 110 },
  );
}

const ms = (milliseconds: number) => `${milliseconds}ms`;
/** Where it lands; nothing where that is a branch of its own. */
function targetOf({ plan, target, slug }: Run): Partial<Pick<Plan, 'target' | 'landing'>> {
  const into = requestsInto(plan);
  if (into !== null) return { target: into, landing: 'pull_request' };
  return target === `baton/${slug}` ? {} : { target };
}

const listed = <T>(name: string, items: readonly T[]) => (items.length === 0 ? {} : { [name]: [...items] });
const given = <T>(name: string, value: T | null | undefined) =>
  value === null || value === undefined ? {} : { [name]: value };

function stepOf(task: Task, dependsOn: readonly string[]): Record<string, unknown> {
  return {
    key: task.key,
    title: task.title,
    ...(task.goal === '' || task.goal === task.title ? {} : { goal: task.goal }),
    role: task.role,
    scope: task.scope,
    complexity: task.complexity,
    risk: task.risk,
    priority: task.priority,
    ...listed('files', task.files),
    ...listed('context', task.context),
    ...listed(
      'signals',
      task.signals.map((signal) =>
        signal.type === 'command_succeeds' && signal.timeout !== undefined
          ? { ...signal, timeout: ms(signal.timeout) }
          : signal,
      ),
    ),
    ...given('agent', task.agent),
    ...given('model', task.model),
    ...given('effort', task.effort),
    ...listed('labels', task.labels),
    ...listed('depends_on', dependsOn),
    max_retries: task.maxRetries,
    ...given('max_attempts', task.maxAttempts),
    ...given('not_before', task.notBefore !== null && task.tries === 0 ? task.notBefore.toISOString() : null),
    ...given('timeout', task.timeoutMs === null ? null : ms(task.timeoutMs)),
    ...given('max_cost', task.maxCostMicroUsd === null ? null : task.maxCostMicroUsd / 1e6),
    ...(task.approval ? { approval: true } : {}),
    ...listed('allow_red', task.allowRed),
  };
}
