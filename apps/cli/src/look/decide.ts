import type { Approval, Store, Task } from '@baton/task-store';

import { carriersOf } from '../carriers.ts';
import type { Call } from '../cli.ts';
import { operator } from '../with-store.ts';

/** A person's word on finished work. */
export interface Word {
  approve: boolean;
  /** Why, for the record. */
  reason: string;
}

/** What became of finished work by a person's word. */
export interface Decided {
  /** As it was before. */
  approval: Approval;
  /** The task as it stands now. */
  task: Task;
  approve: boolean;
  /** For people: what was decided and what follows. */
  text: string;
}

/**
 * Carries out a person's word on finished work, and says what follows.
 * @throws CONFLICT when it does not wait any more
 */
export async function decide(
  call: Call,
  store: Store,
  { approval, word }: { approval: Approval; word: Word },
): Promise<Decided> {
  const { approve, reason } = word;
  const { nonce } = approval;
  const task = await store.decideApproval(approval.id, { ...operator(call, reason), approve, nonce });
  const run = await store.settleRun(task.runId);
  const name = `${run.slug}/${task.key}`;
  const text = approve
    ? `Approved ${task.key}.`
    : `Rejected ${task.key}. It is not tried again; \`baton retry ${name}\` gives it one more try.`;
  return { approval, task, approve, text };
}

/** The command that carries on what was decided, a line for each run that no process carries. */
export async function carryOnLines(store: Store, decided: readonly Decided[]): Promise<string[]> {
  const workers = await store.workers();
  const lines: string[] = [];
  for (const runId of new Set(decided.map(({ task }) => task.runId))) {
    const run = await store.getRun(runId);
    if (run?.status !== 'running' || carriersOf(run, workers).length > 0) continue;
    lines.push(`Carry the run on with \`baton run --resume ${run.slug}\`.`);
  }
  return lines;
}
