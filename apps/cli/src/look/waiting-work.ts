import { diffChange, type ChangeDiff } from '@baton/janitor';
import type { Approval, Store } from '@baton/task-store';

import type { Call } from '../terminal/call.ts';
import type { Place } from '../project/project.ts';
import { lookAt, type Looked } from './task-change.ts';
import { widthOfTerminal } from '../terminal/output.ts';

/** Finished work that waits for a person, with what they should see before they decide. */
export interface WaitingWork {
  approval: Approval;
  looked: Looked;
  /** Without the diff itself; null: the work cannot be read here. */
  diff: ChangeDiff | null;
}

/** Where work is looked at. */
export interface LookPlace {
  store: Store;
  /** Null: there is no repository here. */
  project: Place | null;
}

/** Looks at what waits. Null: it does not wait any more. */
export async function lookAtWaiting(
  call: Call,
  { store, project }: LookPlace,
  approval: Approval,
): Promise<WaitingWork | null> {
  const task = await store.tasks.get(approval.taskId);
  const attempt = (await store.tasks.attempts(approval.taskId)).find(({ id }) => id === approval.attemptId);
  if (task === null || attempt === undefined) return null;
  const looked = await lookAt(call, { store, project }, { task, number: attempt.number });
  if (looked.approval?.id !== approval.id) return null;
  const columns = widthOfTerminal(call.streams.stdout);
  const diff =
    project === null || looked.change === null
      ? null
      : await diffChange({ git: project.git, ...looked.change, patch: false, columns });
  return { approval, looked, diff };
}
