import type { TaskDraft } from '@baton/contracts';
import type { RunDraft } from '@baton/task-store';

/** The smallest task there is: no paths, no dependencies, everything else as a plan would leave it. */
export function benchDraft(key: string, given: Partial<TaskDraft> = {}): TaskDraft {
  return {
    key,
    title: key,
    goal: 'do nothing',
    role: 'backend',
    scope: 'small',
    complexity: 'low',
    risk: 'low',
    priority: 2,
    files: [],
    context: [],
    signals: [],
    agent: null,
    model: null,
    effort: null,
    labels: [],
    dependsOn: [],
    maxRetries: 3,
    notBefore: null,
    timeoutMs: null,
    maxCostMicroUsd: null,
    approval: false,
    allowRed: [],
    source: { kind: 'plan', by: 'bench', trusted: true },
    idempotencyKey: null,
    ...given,
  };
}

/** A run without tasks; its slug is made of `name`. */
export function benchRun(name: string, given: Partial<RunDraft> = {}): RunDraft {
  return {
    slug: name,
    name,
    repo: { location: '/bench', host: null },
    target: 'main',
    baseCommit: 'b'.repeat(40),
    batchSize: 3,
    maxAgents: null,
    trust: 'observe',
    review: false,
    budgetMicroUsd: null,
    gates: [],
    allowRed: [],
    workspace: null,
    agents: {},
    defaultAgent: null,
    routing: null,
    plan: null,
    tasks: [],
    createdBy: 'operator:bench',
    ...given,
  };
}
