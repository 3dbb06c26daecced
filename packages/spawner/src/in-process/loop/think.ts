import type { Message } from '@baton/fsm-core';
import type { AgentEvent, Clock, Effort } from '@baton/contracts';
import type { LanguageModel, LanguageModelUsage, tool as makeTool, ToolSet } from 'ai';
import { z } from 'zod';
import { addTokens, readTokens } from '../../agent/counts.ts';
import { toModelMessages } from './messages.ts';
import type { CognitiveTool } from '../tools/tool.ts';

/** A call of a tool that the model asks for. Its input is from outside. */
export interface WantedCall {
  toolCallId: string;
  toolName: string;
  input: Record<string, unknown>;
}

/** One answer of a model. */
export interface Thought {
  text: string;
  calls: WantedCall[];
  /** The answer in the form that goes back to the model with the next question. */
  parts: readonly unknown[];
  /** stop, length, tool-calls, content-filter, error, other. */
  finish: string;
  /** All tokens that the question held, cached ones too. */
  contextTokens: number;
}

/** What {@link think} asks with. */
export interface ThinkOptions {
  model: LanguageModel;
  instructions: string;
  messages: readonly Message[];
  tools: readonly CognitiveTool[];
  signal: AbortSignal;
  /** Reasoning effort of the model; left out: the provider's default. */
  effort?: Effort;
  /** How often a question is asked again that the provider could not answer for a passing reason. */
  retries: number;
  /** Hears what the question cost, as soon as it is answered or given up. */
  onEvent(event: AgentEvent): void;
  clock: Clock;
}

/** Asks the model once. The tools are offered and not run: that is the acting stage's. @throws the SDK's errors */
export async function think(options: ThinkOptions): Promise<Thought> {
  const { model, instructions, signal, onEvent } = options;
  const { generateText, tool } = await import('ai'); // here, since most commands load this file and ask no model
  const askedMs = options.clock.monotonicMs();
  const result = await generateText({
    model,
    instructions,
    messages: toModelMessages(options.messages),
    abortSignal: signal,
    maxRetries: options.retries,
    ...(options.effort === undefined ? {} : { reasoning: options.effort }),
    ...(options.tools.length === 0 ? {} : { tools: offered(options.tools, tool) }),
  }).catch((error: unknown) => {
    if (signal.aborted) onEvent(givenUp(options, options.clock.monotonicMs() - askedMs));
    throw error;
  });
  onEvent(spentOn(result.usage, result.response.modelId));
  const answer = result.response.messages.find((message) => message.role === 'assistant');
  const content = answer?.content ?? result.text;
  return {
    text: result.text.trim(),
    calls: result.toolCalls.map(({ toolCallId, toolName, input }) => ({
      toolCallId,
      toolName,
      input: typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {},
    })),
    parts: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    finish: result.finishReason,
    contextTokens: result.usage.inputTokens ?? 0,
  };
}

function offered(tools: readonly CognitiveTool[], tool: typeof makeTool): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: input })]),
  );
}

/** No provider lets a model write more in a second. */
const fastestTokens = 3_000;
/** How long a provider may keep writing after the client has hung up. */
const lastWordsMs = 10_000;
/** No model writes more in one answer. */
const longestAnswer = 128_000;

/** Upper bound for the cost of a question that was given up: a token is a byte at least, and writing takes its time. */
function givenUp({ instructions, messages, tools }: ThinkOptions, tookMs: number): AgentEvent {
  const asked = JSON.stringify([
    instructions,
    messages,
    tools.map(({ name, description }) => [name, description]),
  ]);
  const schemas = tools.map(({ input }) => JSON.stringify(z.toJSONSchema(input)));
  const usage = {
    model: null,
    inputTokens: Buffer.byteLength(asked + schemas.join('')),
    outputTokens: Math.min(longestAnswer, Math.ceil(((tookMs + lastWordsMs) / 1_000) * fastestTokens)),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costMicroUsd: null,
    estimated: true,
  };
  return {
    type: 'unmeasured',
    reason: 'A question to the model was given up.',
    atMost: { usage, offset: 0 },
  };
}

/** The receiver of all events sets its place in the stream. */
function spentOn(
  { inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage,
  model: string,
): AgentEvent {
  const { cacheReadTokens, cacheWriteTokens, noCacheTokens } = inputTokenDetails;
  const cached = { cachedReadTokens: cacheReadTokens, cachedWriteTokens: cacheWriteTokens };
  const all = readTokens({ inputTokens, outputTokens, ...cached });
  if (all === null || typeof all === 'string' || addTokens(all) === 0)
    return { type: 'unmeasured', reason: 'The model did not say how many tokens an answer took.' };
  const fresh = noCacheTokens ?? all.inputTokens - all.cacheReadTokens - all.cacheWriteTokens;
  const tokens = { ...all, inputTokens: Math.max(0, fresh) };
  return { type: 'usage', usage: { model, ...tokens, costMicroUsd: null, estimated: false }, offset: 0 };
}
