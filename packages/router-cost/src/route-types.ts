import type { AgentDefinition, Effort, Scope } from '@baton/contracts';
import type { Budget } from './budget.ts';
import type { Catalog } from './catalog.ts';

/** An agent found on this machine; `ready` means installed and logged in. In order of preference. */
export interface InstalledAgent {
  name: string;
  ready: boolean;
  /** Set when it can do nothing without a model that the task or its role names; it is never chosen without one. */
  needsModel?: boolean;
}

/** An earlier attempt of the task, oldest first. `outcome` as the store keeps it: rejected, agent_failed, timeout, … */
export interface PastAttempt {
  outcome: string | null;
  agent: string | null;
  model: string | null;
}

/** All that a route depends on: plain data, so that the same input always gives the same answer. */
export interface RouteInput {
  task: {
    role: string;
    scope: Scope;
    complexity: 'low' | 'medium' | 'high';
    risk: 'low' | 'medium' | 'high';
    /** Named by the task, or defined in place; null: the router decides. */
    agent: string | AgentDefinition | null;
    model: string | null;
    effort: Effort | null;
  };
  run: {
    agents: Readonly<Record<string, AgentDefinition>>;
    defaultAgent: string | AgentDefinition | null;
    /** The `routing` of the repository's configuration, or null. */
    routing: unknown;
  };
  installed: readonly InstalledAgent[];
  history: readonly PastAttempt[];
  budget: Budget & {
    /** What is reserved for the task, or would be: the store's figure. */
    reservationMicroUsd: number;
    /** The part of `reservedMicroUsd` that was already reserved for this very task, e.g. by its claim; 0 when left out. */
    ownReservationMicroUsd?: number;
  };
  catalog: Catalog;
  /** Agents, by name, whose spending is not measured and that the plan refuses for it; none when left out. */
  unmeasuredAgents?: readonly string[];
  /** Agents, by name, that tell themselves what they cost: under a budget their model needs no known price. None when left out. */
  costTellers?: readonly string[];
  /** The time prices are asked for. */
  at?: Date;
}

/** Who does a task and with what, and the reason of every step, in order; kept for the task's page. */
export interface Route {
  ok: true;
  agentName: string;
  /** Null: an installed agent, built in under this name. */
  definition: AgentDefinition | null;
  model: string | null;
  effort: Effort | null;
  /** What is reserved for the task; 0 for a command, which counts as free. */
  reservationMicroUsd: number;
  reasons: string[];
}

/** Why no agent can do the task now. */
export interface NoRoute {
  ok: false;
  code: 'AGENT_UNKNOWN' | 'AGENT_MISSING' | 'PRICE_UNKNOWN' | 'BUDGET_EXCEEDED';
  message: string;
  fix: string;
}

/** A {@link Route}, or why there is none. */
export type RouteDecision = Route | NoRoute;
