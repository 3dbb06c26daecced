import { z } from 'zod';
import { timeLimit } from './units.ts';

/** How far an abort reaches beyond what it is about; nothing by default. Source: docs/spec/kernel.md#abort-chain-binding. */
export const abortPolicy = z.strictObject({
  tool_to_sibling: z
    .boolean()
    .default(false)
    .describe('true: an aborted tool call also stops the other agents of the run on its worker'),
  sibling_to_session: z
    .boolean()
    .default(false)
    .describe('true: stopping the other agents stops all agents of the run on its worker'),
});

/** Agents are kept when their work is done, instead of ended (docs/spec/kernel.md#idle-agents). */
export const reusePolicy = z.strictObject({
  recycle: z
    .union([timeLimit, z.literal(0), z.literal('0s').transform(() => 0)])
    .default(0)
    .describe('how long an agent without work waits for more before it is ended; default 0'),
});
