import type { AgentEvent } from '@baton/contracts';

const textFlushLength = 2_048;
const maxEventText = 256 * 1024;

type Kind = 'assistant' | 'thought';

/** Joins the chunks that a model says into messages. */
export interface MessageText {
  /** Adds a chunk. Returns the messages that are whole then. */
  add(kind: Kind, text: string): AgentEvent[];
  /** The message that is not whole yet, if there is one. */
  flush(): AgentEvent[];
}

/** Makes the messages of one prompt. Beyond a length in all, text is left out. */
export function messageText(): MessageText {
  let pending: { kind: Kind; text: string } | null = null;
  let told = 0;
  const flush = (): AgentEvent[] => {
    if (pending === null || pending.text === '') return [];
    const { kind, text } = pending;
    pending = { kind, text: '' };
    if (told > maxEventText) return [];
    told += text.length;
    return [{ type: 'message', kind, text }];
  };
  return {
    add(kind, text) {
      const before = pending?.kind === kind ? [] : flush();
      if (pending?.kind !== kind) pending = { kind, text: '' };
      pending = { kind, text: pending.text + text };
      return pending.text.length > textFlushLength ? [...before, ...flush()] : before;
    },
    flush,
  };
}
