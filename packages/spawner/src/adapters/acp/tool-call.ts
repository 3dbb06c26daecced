import { z } from 'zod';
import type { ToolUse } from '../../supervise/loops.ts';
import { short, shortKey } from '../../agent/short.ts';
import { textOf, type ToolMessage } from './messages.ts';

const maxOutputLength = 2_000;
/** Of a longer input only a hash is kept: it is compared with others, and nothing else. */
const mostInput = 1_000;

/** A tool call, as far as its agent has reported it. */
export interface ToolCall extends ToolUse {
  isStarted: boolean;
  isDone: boolean;
}

/** A call that no message has described yet. */
export const newCall = (): ToolCall => ({
  title: '',
  kind: 'other',
  input: '',
  paths: [],
  isStarted: false,
  isDone: false,
});

/** Updates a call with what a message says of it. */
export function mature(tool: ToolCall, message: ToolMessage): void {
  if (message.title) tool.title = message.title;
  if (message.kind) tool.kind = message.kind;
  if (!isEmpty(message.rawInput)) tool.input = shortKey(JSON.stringify(message.rawInput), mostInput);
  if (message.locations?.length) tool.paths = message.locations.map((location) => location.path);
}

/** Whether the input of a call is missing. */
export function isEmpty(input: unknown): boolean {
  return (
    input === undefined || input === null || (typeof input === 'object' && Object.keys(input).length === 0)
  );
}

const exits = z.union([
  z
    .looseObject({ metadata: z.looseObject({ exit: z.number() }) })
    .transform((output) => output.metadata.exit !== 0), // opencode
  z
    .looseObject({ contents: z.array(z.looseObject({ exitCode: z.number() })).min(1) })
    .transform((output) => output.contents.some((part) => part.exitCode !== 0)), // copilot
  z
    .array(z.looseObject({ success: z.boolean() }))
    .min(1)
    .transform((output) => output.some((part) => !part.success)), // cline
]);

/** Four agents report a command that failed as completed, with its exit code somewhere inside. */
export function hasFailed(message: ToolMessage): boolean {
  if (message.status === 'failed') return true;
  const parsed = exits.safeParse(message.rawOutput);
  return parsed.success && parsed.data;
}

const contentPart = z.looseObject({ content: z.unknown().optional() });

/** What a tool put out, shortened. */
export function outputOf(message: ToolMessage): string {
  const parts = (message.content ?? []).map((part) => textOf(contentPart.safeParse(part).data?.content));
  const whole = parts.join('') || (typeof message.rawOutput === 'string' ? message.rawOutput : '');
  return short(whole, maxOutputLength);
}
