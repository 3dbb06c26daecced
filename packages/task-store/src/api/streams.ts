import type { AgentEvent, Review, Usage } from '@baton/contracts';
import type { Holding } from '../model/task.ts';
import type { Booked } from './claims.ts';

/** What agents stream. */
export interface StreamsApi {
  /**
   * Writes events in their order.
   *
   * @param options.again An earlier call with them failed: those that it wrote nevertheless are left out. An event is known by its time,
   *   so two equal events of one session need two times.
   */
  append(
    items: { sessionId: string; attemptId: string | null; event: AgentEvent; at: Date }[],
    options?: { again?: boolean },
  ): Promise<void>;
  events(filter: {
    sessionId?: string;
    attemptId?: string;
    taskId?: string;
    after?: string;
    limit?: number;
  }): Promise<{ id: string; sessionId: string; attemptId: string | null; event: AgentEvent; at: Date }[]>;
  /**
   * Never fenced; booked once per (attempt, offset). Settles the reservation. `capReached`: the run's budget is spent, or this
   * attempt's share is and others hold the rest; `maxCost…`: all tries of its task together cost what it may, or more.
   */
  recordUsage(item: {
    attemptId: string;
    /** Name of the agent that spent it on a review of the attempt; null or absent: its author. */
    reviewer?: string | null;
    offset: number;
    usage: Usage;
    costMicroUsd: number;
  }): Promise<Booked>;
  /** An agent that costs is about to begin: until {@link closeMeter} what it spends is unknown, and booked at its bound if it ends so. False: the attempt has ended, so that nothing is reserved for it. */
  openMeter(
    attemptId: string,
    options?: { /** That begins; absent: the author, whose bound it is then. */ reviewer?: string | null },
  ): Promise<boolean>;
  /** `none`: nothing was spent; `unknown`: not all was reported, and the settlement books the bound. A settled meter stays. */
  closeMeter(
    attemptId: string,
    options: { meter: 'none' | 'measured' | 'unknown'; reason?: string | null },
  ): Promise<void>;
  /** What is reserved for attempts (null: nothing) and what their tasks may still cost (null: no max_cost); micro-dollars. */
  shares(
    attemptIds: readonly string[],
  ): Promise<{ attemptId: string; reservedMicroUsd: number | null; leftMicroUsd: number | null }[]>;
  /** Agents of which an attempt in this run did not tell all that it spent: their names, or that of the adapter where none was chosen. */
  unmeasuredAgents(runId: string): Promise<string[]>;
  /** Booked usage of a run, oldest first: what cost reports are made of. */
  usageEntries(filter: { runId: string }): Promise<
    {
      taskId: string;
      runId: string;
      role: string;
      model: string | null;
      /** Adapter of the session. */
      agent: string | null;
      /** Name of the agent that the attempt was given to. */
      author: string | null;
      /** Name of the agent that spent it on a review; null: its author did. */
      reviewer: string | null;
      at: Date;
      inputTokens: number;
      outputTokens: number;
      cacheReadTokens: number;
      cacheWriteTokens: number;
      costMicroUsd: number;
      estimated: boolean;
      /** False: booked at a bound, since it was not measured. */
      measured: boolean;
    }[]
  >;
  /** A sign of life of a session, by the clock of the database when it says no time, what it does now, and the model that it says it works with. */
  touchSession(
    sessionId: string,
    options: { activity?: string; model?: string; lastSignAt?: Date },
  ): Promise<void>;
  setSalvage(holding: Holding, ref: string): Promise<void>;
  /** Writes down what a reviewer said of the change of an attempt that is still at work. @throws LEASE_LOST, INVALID_INPUT */
  setReview(holding: Holding, review: Review): Promise<void>;
}
