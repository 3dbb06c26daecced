import type { Message } from '@baton/fsm-core';
import type { Usage } from '@baton/contracts';
import { generateText, tool, type LanguageModel, type LanguageModelUsage, type ToolSet } from 'ai';
import { toModelMessages } from './messages.ts';
import type { CognitiveTool } from './tool.ts';

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
  usage: Usage;
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
  /** How often a question is asked again that the provider could not answer for a passing reason. */
  retries: number;
}

/** Asks the model once. The tools are offered and not run: that is the acting stage's. @throws the SDK's errors */
export async function think(options: ThinkOptions): Promise<Thought> {
  const { model, instructions, signal } = options;
  const result = await generateText({
    model,
    instructions,
    messages: toModelMessages(options.messages),
    abortSignal: signal,
    maxRetries: options.retries,
    ...(options.tools.length === 0 ? {} : { tools: offered(options.tools) }),
  });
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
    usage: usageOf(result.usage, result.response.modelId),
    contextTokens: result.usage.inputTokens ?? 0,
  };
}

function offered(tools: readonly CognitiveTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: input })]),
  );
}

function usageOf(usage: LanguageModelUsage, model: string): Usage {
  const { cacheReadTokens = 0, cacheWriteTokens = 0, noCacheTokens } = usage.inputTokenDetails;
  const rest = (usage.inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens;
  return {
    model,
    inputTokens: Math.max(0, noCacheTokens ?? rest),
    outputTokens: usage.outputTokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    costMicroUsd: null,
    estimated: usage.inputTokens === undefined,
  };
}
