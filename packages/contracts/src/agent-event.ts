import { ABORT_REASONS, TRANSITION_REASONS } from '@baton/fsm-core';
import { z } from 'zod';
import { usage } from './usage.ts';

/**
 * What an agent's stream says, whatever the agent (docs/spec/agents.md#adapters). Text in it is data from outside, already
 * redacted.
 */
export const agentEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), sessionRef: z.string().nullable() }),
  z.strictObject({
    type: z.literal('message'),
    text: z.string(),
    kind: z.enum(['assistant', 'thought', 'notice', 'stdout', 'stderr']),
  }),
  z.strictObject({
    type: z.literal('tool_started'),
    toolId: z.string(),
    title: z.string(),
    kind: z.string(),
  }),
  z.strictObject({
    type: z.literal('tool_completed'),
    toolId: z.string(),
    failed: z.boolean(),
    output: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('permission_requested'),
    requestId: z.string(),
    title: z.string(),
    decision: z.enum(['allowed', 'denied', 'pending']),
  }),
  z.strictObject({ type: z.literal('usage'), usage, offset: z.number().int().nonnegative() }),
  /** Some of what it spent cannot be counted, and why: told unreadably, in another currency, or not at all. Never nothing. */
  z.strictObject({
    type: z.literal('unmeasured'),
    reason: z.string(),
    /** Set where it cannot be more than this; `offset` as with usage. */
    atMost: z.strictObject({ usage, offset: z.number().int().nonnegative() }).optional(),
  }),
  z.strictObject({ type: z.literal('plan'), entries: z.array(z.string()) }),
  z.strictObject({ type: z.literal('compaction_started') }),
  z.strictObject({ type: z.literal('compaction_ended') }),
  z.strictObject({
    type: z.literal('rate_limited'),
    resetAt: z.iso.datetime().nullable(),
    provider: z.string(),
  }),
  z.strictObject({
    type: z.literal('finished'),
    /** By structure only: result event, stop reason, exit code; never from words in a log. */
    outcome: z.enum([
      'done',
      'failed',
      'rate_limited',
      /** The provider failed: it answers 5xx, is overloaded or cannot be reached. */
      'provider_down',
      'not_logged_in',
      'model_unknown',
      'cancelled',
      'missing_binary',
      'spawn_failed',
      'crashed',
      'timeout',
    ]),
    summary: z.string(),
    exitCode: z.number().int().nullable(),
    /** Null for a normal end. */
    abortReason: z.enum(ABORT_REASONS).nullable(),
    resetAt: z.iso.datetime().nullable(),
    /** Why in the kernel's words, where the agent's structure says it: its turns, its context, its provider's status. */
    transitionReason: z.enum(TRANSITION_REASONS).optional(),
  }),
]);
export type AgentEvent = z.output<typeof agentEvent>;
/** How an agent's work on a task ended. */
export type AgentOutcome = Extract<AgentEvent, { type: 'finished' }>['outcome'];
