import { BatonError } from '@baton/contracts';
import type { Approval, Store, Task } from '@baton/task-store';

import type { Call } from '../terminal/call.ts';
import { operator, type Stored } from '../project/with-store.ts';
import { carryLine } from './carry-line.ts';

/** A person's word on finished work. */
export interface Word {
  approve: boolean;
  /** Why, for the record. */
  reason: string;
  /** With a "no": what the agent of the next try should do otherwise. */
  say?: string | undefined;
}

/** What became of finished work by a person's word. */
export interface Decided {
  /** As it was before. */
  approval: Approval;
  /** The task after the decision. */
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
  const { approve, reason, say } = word;
  const by = operator(call, say ?? reason);
  const decided = { ...by, approve, nonce: approval.nonce, say };
  const task = await store.approvals.decide(approval.id, decided).catch(async (error: unknown) => {
    throw BatonError.is(error, 'CONFLICT') ? await decidedAlready(store, approval, error) : error;
  });
  const run = await store.runs.settle(task.runId);
  const text = approve ? `Approved ${task.key}.` : refusedText({ task, run: run.slug, say });
  return { approval, task, approve, text };
}

/** Another command was faster: what it made of the work is on record. */
async function decidedAlready(store: Store, { taskId }: Approval, cause: BatonError): Promise<BatonError> {
  const task = await store.tasks.get(taskId);
  const run = task && (await store.runs.get(task.runId));
  const name = run ? `${run.slug}/${task.key}` : taskId;
  return new BatonError(
    'CONFLICT',
    `The work of ${name} was decided, cancelled or replaced in the meantime.`,
    {
      fix: `\`baton explain ${name}\` says what became of it.`,
      cause,
    },
  );
}

function refusedText({ task, run, say }: { task: Task; run: string; say: string | undefined }): string {
  const { key } = task;
  if (task.status === 'OPEN') return `Rejected ${key}. It is tried again with your words.`;
  if (say !== undefined)
    return `Rejected ${key}. No try is left; \`baton retry ${run}/${key}\` gives it one more, with your words.`;
  return `Rejected ${key}. It is not tried again; \`baton retry ${run}/${key} --say "what to do otherwise"\` gives it one more try.`;
}

/** The commands that carry tasks on, a line for each run that is paused or that no process carries. */
export async function carryOnLines(stored: Stored, tasks: readonly Task[]): Promise<string[]> {
  const { store } = stored;
  const workers = await store.workers.list();
  const lines: string[] = [];
  for (const runId of new Set(tasks.map((task) => task.runId))) {
    const run = await store.runs.get(runId);
    const line = run && (await carryLine(stored, { run, workers }));
    if (line !== null) lines.push(line);
  }
  return lines;
}
