import { MockLanguageModelV4 } from 'ai/test';

/** One answer of a scripted model. */
export interface Answer {
  text?: string;
  calls?: { tool: string; input: Record<string, unknown> }[];
  finish?: 'stop' | 'length' | 'content-filter';
  /** Tokens of the question. */
  input?: number;
  error?: Error;
  /** Called as it is asked, before the answer. */
  onAsked?(): void;
}

/** A model that gives one answer after the other. */
export function scriptedModel(answers: readonly Answer[]) {
  let asked = 0;
  const model = new MockLanguageModelV4({
    doGenerate: () => {
      const answer = answers[asked] ?? { text: 'nothing left to say' };
      asked += 1;
      answer.onAsked?.();
      if (answer.error !== undefined) return Promise.reject(answer.error);
      const calls = (answer.calls ?? []).map(({ tool, input }, at) => ({
        type: 'tool-call' as const,
        toolCallId: `call-${asked}-${at}`,
        toolName: tool,
        input: JSON.stringify(input),
      }));
      const text = answer.text === undefined ? [] : [{ type: 'text' as const, text: answer.text }];
      return Promise.resolve({
        content: [...text, ...calls],
        finishReason: {
          unified: answer.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
          raw: undefined,
        },
        usage: {
          inputTokens: {
            total: answer.input ?? 10,
            noCache: (answer.input ?? 10) - 4,
            cacheRead: 4,
            cacheWrite: 0,
          },
          outputTokens: { total: 5, text: 5, reasoning: 0 },
        },
        warnings: [],
      });
    },
  });
  return { model, asked: () => asked };
}
