/** A finished tool call, as far as it matters for loops. */
export interface ToolUse {
  title: string;
  kind: string;
  /** What it was called with, as text. */
  input: string;
  /** Files it changed or looked at. */
  paths: readonly string[];
}

/** What the detector says of the latest call. */
export interface LoopVerdict {
  verdict: 'fine' | 'warn' | 'end';
  /** What repeats, for people. */
  what: string;
}

/** Same call in a row, then same file edited without another file between. */
const repeats = { call: { warn: 8, end: 16 }, edit: { warn: 20, end: 40 } } as const;

/**
 * Notices an agent that goes in circles: the same tool call with the same input again and again, or the same file
 * edited over and over. Polling a build for a while is not yet a loop. Source: docs/spec/agents.md#loop-detector.
 */
export function loopDetector(): { see(use: ToolUse): LoopVerdict } {
  let lastCall = '';
  let calls = 0;
  let lastFile = '';
  let edits = 0;
  const judge = (count: number, bounds: { warn: number; end: number }, what: string): LoopVerdict | null => {
    if (count >= bounds.end) return { verdict: 'end', what };
    return count === bounds.warn ? { verdict: 'warn', what } : null;
  };
  return {
    see({ title, kind, input, paths }) {
      const call = JSON.stringify([kind, title, input]);
      calls = call === lastCall ? calls + 1 : 1;
      lastCall = call;
      if (kind === 'edit') {
        const file = paths.join(' ');
        edits = file !== '' && file === lastFile ? edits + 1 : 1;
        lastFile = file;
      }
      return (
        judge(calls, repeats.call, `the same call ${calls} times in a row: ${title}`) ??
        judge(
          kind === 'edit' ? edits : 0,
          repeats.edit,
          `${edits} edits of ${lastFile} and no other file`,
        ) ?? { verdict: 'fine', what: '' }
      );
    },
  };
}
