import type { AgentSession, Attempt, Run, Task } from '@baton/task-store';

import type { RunSnapshot } from '../../src/run/progress-lines.ts';

const at = new Date('2026-01-01T00:00:00Z');

/** A run for tests of what is shown. */
export function someRun(changes: Partial<Run> = {}): Run {
  return {
    id: 'run-1',
    slug: 'tidy-7k2f',
    name: 'tidy',
    repoId: 'repo-1',
    standing: false,
    status: 'running',
    statusReason: null,
    target: 'baton/tidy-7k2f',
    baseCommit: 'b'.repeat(40),
    batchSize: 3,
    maxAgents: null,
    trust: 'observe',
    review: false,
    budgetMicroUsd: null,
    spentMicroUsd: 0,
    reservedMicroUsd: 0,
    unmeasuredMicroUsd: 0,
    unmeasuredAttempts: 0,
    gates: [],
    gatesHash: '',
    allowRed: [],
    workspace: null,
    agents: {},
    defaultAgent: null,
    routing: null,
    plan: null,
    createdBy: 'operator:tester',
    createdAt: at,
    finishedAt: null,
    ...changes,
  };
}

/** A task for tests of what is shown. */
export function someTask(key: string, changes: Partial<Task> = {}): Task {
  return {
    id: `task-${key}`,
    runId: 'run-1',
    repoId: 'repo-1',
    parentId: null,
    key,
    title: `Do ${key}`,
    goal: '',
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
    status: 'OPEN',
    settled: false,
    version: 1,
    pendingDependencies: 0,
    claimable: true,
    maxRetries: 3,
    tries: 0,
    grantedTries: 0,
    conflicts: 0,
    notBefore: null,
    timeoutMs: null,
    maxCostMicroUsd: null,
    approval: false,
    allowRed: [],
    blockedOn: null,
    cancelRequested: false,
    source: { kind: 'plan', by: 'tester', trusted: true },
    createdAt: at,
    updatedAt: at,
    ...changes,
  };
}

/** An attempt for tests of what is shown; it begins `startsAfterMs` after the run. */
export function someAttempt(
  key: string,
  {
    startsAfterMs = 0,
    endsAfterMs,
    ...changes
  }: Partial<Attempt> & { startsAfterMs?: number; endsAfterMs?: number } = {},
): Attempt {
  return {
    id: `attempt-${key}-${changes.number ?? 1}`,
    taskId: `task-${key}`,
    runId: 'run-1',
    sessionId: null,
    number: 1,
    counted: true,
    fence: 1,
    workerId: null,
    leaseExpiresAt: null,
    turnStatus: 'RUNNING',
    turnSeq: 1,
    baseCommit: null,
    startCommit: null,
    headCommit: null,
    headPlace: null,
    summary: null,
    outcome: null,
    abortReason: null,
    rejections: [],
    salvageRef: null,
    review: null,
    route: null,
    inputTokens: 0,
    outputTokens: 0,
    costMicroUsd: 0,
    costEstimated: false,
    meter: 'none',
    unmeasuredMicroUsd: 0,
    unmeasuredReason: null,
    createdAt: new Date(at.getTime() + startsAfterMs),
    endedAt: endsAfterMs === undefined ? null : new Date(at.getTime() + endsAfterMs),
    ...changes,
  };
}

/** A session of an agent at work for tests of what is shown. */
export function someSession(id: string, changes: Partial<AgentSession> = {}): AgentSession {
  return {
    id,
    runId: 'run-1',
    workerId: 'worker-1',
    adapter: 'command',
    model: null,
    pid: null,
    pidStarted: null,
    host: 'here',
    parentSessionId: null,
    activity: null,
    status: 'working',
    statusSeq: 1,
    executionState: 'busy',
    executionSeq: 1,
    exitCode: null,
    abortReason: null,
    workspace: null,
    deadlineAt: null,
    lastSignAt: null,
    createdAt: at,
    endedAt: null,
    ...changes,
  };
}

/** A snapshot for tests of what is shown. */
export function snapshotOf(
  tasks: readonly Task[],
  {
    attempts = [],
    commits = {},
    run = {},
    waits = {},
    sessions = [],
    requests,
  }: {
    attempts?: readonly Attempt[];
    sessions?: readonly AgentSession[];
    commits?: Record<string, string>;
    run?: Partial<Run>;
    waits?: Record<string, string>;
    requests?: Record<string, string>;
  } = {},
): RunSnapshot {
  const commitOf = Object.entries(commits).map(([key, commit]): [string, string] => [`task-${key}`, commit]);
  return {
    run: someRun(run),
    tasks,
    attempts,
    sessions,
    commits: new Map(commitOf),
    waits: new Map(Object.entries(waits)),
    ...(requests && { requests: new Map(Object.entries(requests)) }),
  };
}
