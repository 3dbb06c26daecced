import type { AgentEvent } from '@baton/contracts';
import { lastSpace } from '../../agent/short.ts';

const textFlushLength = 2_048;
/** A text without a space that is longer is handed on as it is. */
const longestWord = 16 * 1024;
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
  const flush = (end = pending?.text.length ?? 0): AgentEvent[] => {
    if (pending === null || end === 0) return [];
    const { kind } = pending;
    const text = pending.text.slice(0, end);
    pending = { kind, text: pending.text.slice(end) };
    if (told > maxEventText) return [];
    told += text.length;
    return [{ type: 'message', kind, text }];
  };
  return {
    add(kind, text) {
      const before = pending?.kind === kind ? [] : flush();
      if (pending?.kind !== kind) pending = { kind, text: '' };
      pending = { kind, text: pending.text + text };
      if (pending.text.length <= textFlushLength) return before;
      // Cut at a space: each piece is redacted alone, and a secret must not lie in two.
      const end = lastSpace(pending.text) + 1;
      return [...before, ...flush(end === 0 && pending.text.length > longestWord ? undefined : end)];
    },
    flush: () => flush(),
  };
}
