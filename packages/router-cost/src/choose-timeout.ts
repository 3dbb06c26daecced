import type { Scope } from '@baton/contracts';
import { adaptiveTimeout, lifetimeMs, scopeTimeoutMs, type Timeout } from './timeout.ts';

/** How long one agent worked on something that landed. */
export interface PastDuration {
  durationMs: number;
  agent: string | null;
  model: string | null;
}

/** A time-out, what it rests on and why: kept with the attempt. */
export interface TimeoutChoice extends Timeout {
  /** `task`: the plan names it; `agent`, `role`: learnt; `scope`: the default. */
  basis: 'task' | 'agent' | 'role' | 'scope';
  reason: string;
}

/**
 * A task's time-out: its own if the plan names one, else learnt from what the same agent and model took for landed tasks of this
 * role and scope, else from all agents, else the scope's default; never above the scope's lifetime. Pure.
 * Source: docs/spec/routing-and-cost.md#time-limits.
 */
export function chooseTimeout(options: {
  task: { role: string; scope: Scope; timeoutMs: number | null };
  route: { agentName: string; model: string | null };
  /** Of this role and scope, in this repository. */
  history: readonly PastDuration[];
  /** 8 when left out. */
  minSamples?: number;
}): TimeoutChoice {
  const { task, route, history, minSamples = 8 } = options;
  const cap = lifetimeMs(task.scope);
  if (task.timeoutMs !== null) {
    const timeoutMs = Math.min(task.timeoutMs, cap);
    const cut = timeoutMs < task.timeoutMs ? `, cut to the lifetime of ${minutes(cap)} for its scope` : '';
    return {
      timeoutMs,
      samples: 0,
      basis: 'task',
      reason: `the plan gives it ${minutes(task.timeoutMs)}${cut}`,
    };
  }
  const same = history.filter(({ agent, model }) => agent === route.agentName && model === route.model);
  for (const [basis, past] of [['agent', same] as const, ['role', history] as const]) {
    const learnt = adaptiveTimeout(
      past.map(({ durationMs }) => durationMs),
      { scope: task.scope, minSamples },
    );
    if (learnt.samples === 0) continue;
    const whose = basis === 'agent' ? [route.agentName, route.model].filter(Boolean).join(' ') : 'any agent';
    return { ...learnt, basis, reason: explainLearnt(learnt, { task, whose }) };
  }
  const timeoutMs = scopeTimeoutMs(task.scope);
  const reason = `the default of scope ${task.scope}: ${history.length} of ${minSamples} landed tries are known for ${task.role}`;
  return { timeoutMs, samples: 0, basis: 'scope', reason };
}

function explainLearnt(
  { timeoutMs, samples }: Timeout,
  { task, whose }: { task: { role: string; scope: Scope }; whose: string },
): string {
  const bound =
    timeoutMs === lifetimeMs(task.scope)
      ? ', the most its scope allows'
      : timeoutMs === Math.round(scopeTimeoutMs(task.scope) / 3)
        ? ', the least its scope allows'
        : '';
  return `1.5 times what 95 % of ${samples} landed tries by ${whose} as ${task.role} took (scope ${task.scope}${bound})`;
}

function minutes(ms: number): string {
  return ms >= 60_000 ? `${Math.round(ms / 6_000) / 10} min` : `${Math.round(ms / 100) / 10} s`;
}
