import type { TaskDraft } from '@baton/contracts';
import type { ClaimRequest, RunDraft } from '../../src/index.ts';

/** A task draft with everything at its default but what is given. */
export function draft(key: string, given: Partial<TaskDraft> = {}): TaskDraft {
  return {
    key,
    title: key,
    goal: `do ${key}`,
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
    source: { kind: 'plan', by: 'tester', trusted: true },
    idempotencyKey: null,
    ...given,
  };
}

let runs = 0;

/** A run draft with a slug of its own. */
export function runDraft(tasks: TaskDraft[], given: Partial<RunDraft> = {}): RunDraft {
  return {
    slug: `run-${++runs}`,
    name: 'run',
    repo: { location: '/repo', host: 'here' },
    target: 'baton/run',
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
    tasks,
    createdBy: 'operator:tester',
    ...given,
  };
}

export const by = { actor: 'operator:tester', reason: 'test' };

/** A claim as worker `w1` on host `here`. */
export function request(given: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    workerId: 'w1',
    maxTasks: 1,
    leaseMs: 60_000,
    capabilities: { host: 'here', labels: [] },
    ...given,
  };
}
