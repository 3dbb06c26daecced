import { createHash } from 'node:crypto';
import type { AgentDefinition, Clock } from '@baton/contracts';
import type { WithdrawnAgent } from '@baton/task-store';

/** Tasks that are kept apart at most. */
const mostTasks = 1_000;
const longestMs = 300_000;

/** An agent as one worker knows it: a name alone may mean another program in another run. */
export interface AgentKey {
  agentName: string;
  definition: AgentDefinition | null;
}

/**
 * Agents that cannot be started here (not logged in, program missing), and the tasks that were given to them:
 * everything else continues. After a while, longer each time, one task is let through to see whether the agent is
 * there again.
 */
export interface Withdrawals {
  /**
   * Why an agent is not to be started now, or null. With null for a withdrawn one, the caller tries it and reports
   * the outcome.
   */
  refusal(agent: AgentKey, taskIds: readonly string[]): string | null;
  withdraw(agent: AgentKey, given: { reason: string; taskIds: readonly string[] }): void;
  /** It has been started: it is there again. */
  restore(agent: AgentKey): void;
  /** Tasks that are not to be claimed here now. */
  heldBack(): string[];
  /** Reasons by task, of all that wait. */
  waiting(): Map<string, string>;
  list(): WithdrawnAgent[];
}

interface Entry {
  agent: string;
  reason: string;
  untilMs: number;
  pauseMs: number;
  tasks: Set<string>;
}

/** Starts with none. `onChange` is called after each change of what is withdrawn. */
export function createWithdrawals(options: {
  clock: Clock;
  pauseMs: number;
  onChange: () => void;
}): Withdrawals {
  const { clock, pauseMs, onChange } = options;
  const entries = new Map<string, Entry>();
  const isDue = (entry: Entry) => clock.now().getTime() >= entry.untilMs;
  const hold = (entry: Entry, taskIds: readonly string[]) => {
    for (const id of taskIds) if (entry.tasks.size < mostTasks) entry.tasks.add(id);
  };
  return {
    refusal(agent, taskIds) {
      const entry = entries.get(keyOf(agent));
      if (entry === undefined) return null;
      hold(entry, taskIds);
      if (!isDue(entry)) return entry.reason;
      // This one tries it; the others wait for what comes of it.
      entry.untilMs = clock.now().getTime() + entry.pauseMs;
      return null;
    },
    withdraw(agent, { reason, taskIds }) {
      const before = entries.get(keyOf(agent));
      const pause = before === undefined ? pauseMs : Math.min(longestMs, before.pauseMs * 2);
      const entry: Entry = {
        agent: agent.agentName,
        reason,
        untilMs: clock.now().getTime() + pause,
        pauseMs: pause,
        tasks: before?.tasks ?? new Set(),
      };
      hold(entry, taskIds);
      entries.set(keyOf(agent), entry);
      onChange();
    },
    restore(agent) {
      if (entries.delete(keyOf(agent))) onChange();
    },
    heldBack: () => [...entries.values()].flatMap((entry) => (isDue(entry) ? [] : [...entry.tasks])),
    waiting: () =>
      new Map(
        [...entries.values()].flatMap((entry) => [...entry.tasks].map((id) => [id, entry.reason] as const)),
      ),
    list: () =>
      [...entries.values()].map(({ agent, reason, untilMs }) => ({
        agent,
        reason,
        until: new Date(untilMs).toISOString(),
      })),
  };
}

function keyOf({ agentName, definition }: AgentKey): string {
  const text = JSON.stringify(definition);
  return `${agentName} ${createHash('sha256').update(text).digest('hex')}`;
}
