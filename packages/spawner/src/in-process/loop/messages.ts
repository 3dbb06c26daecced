import type { Message } from '@baton/fsm-core';
import type { ModelMessage } from 'ai';

/** Puts the working memory into the form that models take. */
export function toModelMessages(messages: readonly Message[]): ModelMessage[] {
  return messages.map((message) => {
    const content = message.parts ?? message.content;
    return { role: message.role, content } as ModelMessage;
  });
}

/** The memory with one more message; ids count up, so that a checkpoint can tell which ones are new. */
export function withMessage(
  messages: readonly Message[],
  { role, content, parts }: Omit<Message, 'id'>,
): readonly Message[] {
  const last = Number(messages.at(-1)?.id.slice(1) ?? 0);
  const message: Message = { id: `m${last + 1}`, role, content, ...(parts === undefined ? {} : { parts }) };
  return [...messages, message];
}

/** The answer to one call of a tool, as a message. */
export function toolResult(
  call: { toolCallId: string; toolName: string },
  { output, failed }: { output: string; failed: boolean },
): Omit<Message, 'id'> {
  const value = { type: failed ? 'error-text' : 'text', value: output };
  const part = { type: 'tool-result', toolCallId: call.toolCallId, toolName: call.toolName, output: value };
  return { role: 'tool', content: output, parts: [part] };
}
