import { createInterface } from 'node:readline/promises';

import type { Call } from './call.ts';

/** Whether there is a person at a terminal to ask. */
export function canAsk({ streams, out, env }: Call): boolean {
  return streams.stdin.isTTY === true && streams.stderr.isTTY === true && !out.json && !env.ci;
}

/** Asks a question with yes or no; anything but a yes is a no. Null: the question was left open (end of input, Ctrl-C). */
export async function askYesNo(call: Call, question: string, signal?: AbortSignal): Promise<boolean | null> {
  const answer = await askLine(call, `${question} [y/N]`, signal);
  return answer === null ? null : /^y(es)?$/i.test(answer);
}

/** Asks for one line, without white space around it. Null: the question was left open (end of input, Ctrl-C). */
export async function askLine(
  { streams, out }: Call,
  question: string,
  signal?: AbortSignal,
): Promise<string | null> {
  if (streams.stdin.readableEnded) return null; // its end event does not come twice
  const terminal = createInterface({ input: streams.stdin, output: streams.stderr });
  const closed = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)));
  try {
    const answered = terminal
      .question(out.noteColors.finish(`${question} `), signal ? { signal } : {})
      .catch(() => null);
    const answer = await Promise.race([answered, closed]);
    return answer === null ? null : answer.trim();
  } finally {
    terminal.close();
  }
}
