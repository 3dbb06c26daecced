import { agentEvent, effort } from '@baton/contracts';
import { ABORT_REASONS, TRANSITION_REASONS, type Checkpoint } from '@baton/fsm-core';
import { z } from 'zod';

/*
 * What the supervisor and the process of an in-process agent say to one another: JSON, one message a line.
 */

const checkpoint = z.custom<Checkpoint>((value) => typeof value === 'object' && value !== null);

/** All that a process needs to work on one task. */
export const startMessage = z.strictObject({
  type: z.literal('start'),
  taskId: z.string(),
  prompt: z.string(),
  instructions: z.string(),
  root: z.string(),
  model: z.strictObject({
    provider: z.string(),
    model: z.string(),
    baseUrl: z.string(),
    keyVariable: z.string().nullable(),
  }),
  /** Never in the environment, where the programs of checks could read it. */
  apiKey: z.string().nullable(),
  checks: z.record(z.string(), z.array(z.string())),
  checkEnv: z.record(z.string(), z.string()),
  checkTimeoutMs: z.number(),
  maxSteps: z.number().nullable(),
  contextTokens: z.number().nullable(),
  /** Reasoning effort of the model; null: the provider's default. */
  effort: effort.nullable(),
  retries: z.number(),
  reflect: z.boolean(),
  /** Of a task that is resumed. */
  log: z.array(checkpoint),
});
export type StartMessage = z.output<typeof startMessage>;

/** From the supervisor. */
export const toAgent = z.discriminatedUnion('type', [
  startMessage,
  z.strictObject({ type: z.literal('kept'), number: z.number() }),
  z.strictObject({ type: z.literal('permission'), number: z.number(), answer: z.enum(['allow', 'deny']) }),
  z.strictObject({ type: z.literal('abort_tool'), toolId: z.string() }),
  z.strictObject({ type: z.literal('suspend'), reason: z.string() }),
]);
export type ToAgent = z.output<typeof toAgent>;

/** From the process. */
export const fromAgent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('event'), event: agentEvent }),
  z.strictObject({ type: z.literal('checkpoint'), number: z.number(), checkpoint }),
  z.strictObject({
    type: z.literal('permission'),
    number: z.number(),
    request: z.strictObject({ title: z.string(), kind: z.string(), paths: z.array(z.string()) }),
  }),
  z.strictObject({
    type: z.literal('end'),
    outcome: z.enum(['done', 'suspended', 'failed', 'rate_limited', 'provider_down', 'not_logged_in']),
    summary: z.string(),
    abortReason: z.enum(ABORT_REASONS).nullable(),
    transitionReason: z.enum(TRANSITION_REASONS).optional(),
    resetAt: z.string().nullable(),
  }),
]);
export type FromAgent = z.output<typeof fromAgent>;
/** How a task ended in the process. */
export type AgentEnd = Extract<FromAgent, { type: 'end' }>;

/** Calls `onMessage` for each whole line; a line that is no message is given as null. */
export function messageReader<Message>(
  schema: z.ZodType<Message>,
  onMessage: (message: Message | null, line: string) => void,
): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onMessage(parsed(schema, line), line);
  };
}

function parsed<Message>(schema: z.ZodType<Message>, line: string): Message | null {
  try {
    return schema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
