import { createInterface } from 'node:readline/promises';

import type { Approval } from '@baton/task-store';

import type { Call } from '../cli.ts';
import { shortId } from '../format.ts';
import type { StoreAccess } from '../open-store.ts';
import { operator } from '../with-store.ts';

/** Whether there is a person at a terminal to ask. */
export function canAsk({ streams, out, env }: Call): boolean {
  return streams.stdin.isTTY === true && streams.stderr.isTTY === true && !out.json && !env.ci;
}

/** Asks a question with yes or no; anything but a yes is a no. Null: the question was left open (end of input, Ctrl-C). */
export async function askYesNo(
  { streams, out }: Call,
  question: string,
  signal?: AbortSignal,
): Promise<boolean | null> {
  const terminal = createInterface({ input: streams.stdin, output: streams.stderr });
  const closed = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)));
  try {
    const answered = terminal
      .question(out.noteColors.finish(`${question} [y/N] `), signal ? { signal } : {})
      .catch(() => null);
    const answer = await Promise.race([answered, closed]);
    return answer === null ? null : /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/**
 * Asks for a person's word on everything of a run that waits for one. There is no automatic "yes", ever.
 * @returns how many were decided
 */
export async function askApprovals(
  call: Call,
  access: StoreAccess,
  { runId, signal }: { runId: string; signal: AbortSignal },
): Promise<number> {
  let decided = 0;
  for (const approval of await access.store.approvals({ runId, status: 'waiting' })) {
    const answer = await askYesNo(call, await question(access, approval), signal);
    if (answer === null) return decided;
    const reason = answer ? 'approved at the terminal' : 'rejected at the terminal';
    await access.store.decideApproval(approval.id, {
      ...operator(call, reason),
      approve: answer,
      nonce: approval.nonce,
    });
    decided += 1;
  }
  if (decided > 0) await access.store.settleRun(runId);
  return decided;
}

async function question({ store }: StoreAccess, approval: Approval): Promise<string> {
  const task = await store.getTask(approval.taskId);
  return `${task?.key ?? approval.taskId} is finished at ${shortId(approval.headCommit)} and waits for you: ${approval.reason}. Land it?`;
}
