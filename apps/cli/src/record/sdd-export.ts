import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Attempt, Run, Store, Task } from '@baton/task-store';
import { stringify } from 'yaml';

import { costOf, knownCost } from '../terminal/cost-text.ts';
import { allTasks } from '../project/with-store.ts';

/** Folder of the backlog for each state of a task. */
const folders: Record<Task['status'], 'open' | 'claimed' | 'closed'> = {
  PLANNED: 'open',
  OPEN: 'open',
  BLOCKED: 'open',
  FAILED: 'open',
  CLAIMED: 'claimed',
  IN_PROGRESS: 'claimed',
  ORPHANED: 'claimed',
  WAITING_FOR_SUBTASKS: 'claimed',
  DONE: 'claimed',
  PENDING_APPROVAL: 'claimed',
  CLOSED: 'closed',
  CANCELLED: 'closed',
};

/**
 * Writes runs as files that a file-first system reads: backlog, metrics, traces (docs/spec/kernel.md#state-in-files). Returns
 * how many files.
 *
 * @param options.stage says where a file is to be written, absolute
 */
export async function exportSdd(
  store: Store,
  { stage, runs }: { stage: (file: string) => Promise<string>; runs: readonly Run[] },
): Promise<number> {
  const metrics: string[] = [];
  const costs: string[] = [];
  let files = 2;
  for (const run of runs) {
    const tasks = await allTasks(store, run.id);
    const keys = new Map(tasks.map((task) => [task.id, task.key]));
    const edges = await store.tasks.dependencies(run.id);
    for (const task of tasks) {
      const needs = edges.flatMap(({ taskId, dependsOnId }) =>
        taskId === task.id ? (keys.get(dependsOnId) ?? []) : [],
      );
      const name = `${run.slug}.${task.key}`;
      await writeFile(
        await stage(path.join('backlog', folders[task.status], `${name}.yaml`)),
        ticket(task, { run, needs }),
      );
      const attempts = await store.tasks.attempts(task.id);
      metrics.push(JSON.stringify(metricOf(task, { run, attempts })));
      await writeFile(
        await stage(path.join('traces', `${name}.jsonl`)),
        await traceOf(store, { task, attempts }),
      );
      files += 2;
    }
    for (const entry of await store.streams.usageEntries({ runId: run.id }))
      costs.push(
        JSON.stringify({
          timestamp: entry.at.toISOString(),
          run: run.slug,
          task_id: entry.taskId,
          role: entry.role,
          agent: entry.agent,
          model: entry.model,
          input_tokens: entry.inputTokens,
          output_tokens: entry.outputTokens,
          cache_read_tokens: entry.cacheReadTokens,
          cache_write_tokens: entry.cacheWriteTokens,
          cost_usd: entry.measured || entry.costMicroUsd > 0 ? entry.costMicroUsd / 1e6 : null,
          estimated: entry.estimated,
          measured: entry.measured,
        }),
      );
  }
  await writeFile(await stage('metrics/tasks.jsonl'), joined(metrics));
  await writeFile(await stage('metrics/cost.jsonl'), joined(costs));
  return files;
}

const joined = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

function ticket(task: Task, { run, needs }: { run: Run; needs: readonly string[] }): string {
  return stringify({
    id: task.key,
    title: task.title,
    description: task.goal,
    run: run.slug,
    status: task.status.toLowerCase(),
    role: task.role,
    priority: task.priority,
    scope: task.scope,
    complexity: task.complexity,
    ...(task.model === null ? {} : { model: task.model }),
    ...(task.effort === null ? {} : { effort: task.effort }),
    depends_on: needs,
    affected_paths: task.files,
    context_files: task.context,
    janitor_signals: task.signals,
    require_human_approval: task.approval,
  });
}

type Attempts = Awaited<ReturnType<Store['tasks']['attempts']>>;

function metricOf(task: Task, { run, attempts }: { run: Run; attempts: Attempts }) {
  const sum = (of: (attempt: Attempts[number]) => number) =>
    attempts.reduce((total, each) => total + of(each), 0);
  return {
    task_id: task.id,
    key: task.key,
    run: run.slug,
    title: task.title,
    role: task.role,
    status: task.status.toLowerCase(),
    created_at: task.createdAt.toISOString(),
    updated_at: task.updatedAt.toISOString(),
    attempts: attempts.length,
    tries: task.tries,
    duration_s: sum(
      ({ createdAt, endedAt }) => ((endedAt ?? createdAt).getTime() - createdAt.getTime()) / 1000,
    ),
    input_tokens: sum(({ inputTokens }) => inputTokens),
    output_tokens: sum(({ outputTokens }) => outputTokens),
    ...costColumns(attempts),
  };
}

/** Null: not known. */
function costColumns(attempts: readonly Attempt[]): { cost_usd: number | null; unmeasured_usd: number } {
  const cost = costOf(attempts);
  const known = knownCost(cost);
  return { cost_usd: known === null ? null : known / 1e6, unmeasured_usd: cost.unmeasuredMicroUsd / 1e6 };
}

async function traceOf(
  store: Store,
  { task, attempts }: { task: Task; attempts: Attempts },
): Promise<string> {
  const entities = [task.id, ...attempts.map(({ id }) => id)];
  const events = (await Promise.all(entities.map((entityId) => store.tasks.history({ entityId })))).flat();
  // An id names a change, and the place of the event in it.
  const ranks = new Map(events.map(({ id }) => [id, id.split('.').map(Number)]));
  const rank = (id: string, part: number) => ranks.get(id)?.[part] ?? 0;
  events.sort(
    (a, b) =>
      a.at.getTime() - b.at.getTime() || rank(a.id, 0) - rank(b.id, 0) || rank(a.id, 1) - rank(b.id, 1),
  );
  return joined(
    events.map((event) =>
      JSON.stringify({
        timestamp: event.at.toISOString(),
        step: event.event,
        machine: event.machine,
        entity_id: event.entityId,
        from: event.from,
        to: event.to,
        actor: event.actor,
        reason: event.reason,
      }),
    ),
  );
}
