import type { TaskStatus } from '@baton/fsm-core';
import type { NextRun } from './run-acts.ts';
import type { Run, Task } from './types.ts';

/** What a run's status is computed from. */
export interface RunTask {
  id: string;
  key: string;
  status: TaskStatus;
  settled: boolean;
  notBefore: Date | null;
  blockedOn: Task['blockedOn'];
  /** Dependencies that are not CLOSED. */
  waitsFor: string[];
}

type Mood = 'moving' | 'person' | 'retry';

/**
 * done: all CLOSED · failed: all settled, some FAILED · waiting: only a person's word moves it · stuck: only a retry does ·
 * running: anything else. Pure. Null leaves the run as it is. Source: store.md §3, "Runs".
 */
export function runOutcome(state: {
  run: Pick<Run, 'status' | 'statusReason'> & { standing: boolean };
  tasks: RunTask[];
  budgetSpent: boolean;
}): NextRun | null {
  const { run, tasks } = state;
  const open = tasks.filter((task) => !task.settled);
  if (run.status === 'cancelled' || tasks.length === 0) return null;
  // A run that was failed before any work stays so; a paused one until somebody resumes it or nothing is left.
  if (open.length > 0 && (run.status === 'failed' || run.status === 'paused')) return null;
  if (open.length === 0) return run.standing ? { status: 'running', reason: null } : ending(tasks);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const moods = new Map<string, Mood>();
  for (const task of open) moodOf(task, byId, moods);
  const found = new Set(moods.values());
  if (found.has('moving')) {
    const idle = open.every((task) => moods.get(task.id) !== 'moving' || task.status === 'OPEN');
    if (state.budgetSpent && idle) return { status: 'stuck', reason: 'the budget is spent' };
    return { status: 'running', reason: null };
  }
  const stuck = open.filter((task) => moods.get(task.id) === 'retry');
  if (found.has('person')) {
    const waiting = open.filter((task) => moods.get(task.id) === 'person' && task.waitsFor.length === 0);
    return { status: 'waiting', reason: `waits for a person: ${keysOf(waiting)}` };
  }
  return { status: 'stuck', reason: `only a retry moves: ${keysOf(stuck)}` };
}

function ending(tasks: RunTask[]): NextRun {
  const failed = tasks.filter((task) => task.status === 'FAILED');
  if (failed.length > 0) return { status: 'failed', reason: `failed: ${keysOf(failed)}` };
  const cancelled = tasks.filter((task) => task.status === 'CANCELLED');
  return cancelled.length > 0
    ? { status: 'cancelled', reason: `cancelled: ${keysOf(cancelled)}` }
    : { status: 'done', reason: null };
}

/** Who moves this task next: somebody at work or a timer, a person's word, or only a retry. */
function moodOf(task: RunTask, byId: ReadonlyMap<string, RunTask>, moods: Map<string, Mood>): Mood {
  const known = moods.get(task.id);
  if (known !== undefined) return known;
  moods.set(task.id, 'moving');
  const mood = decideMood(task, (id) => {
    const other = byId.get(id);
    if (other === undefined || other.status === 'CLOSED') return 'moving';
    return other.settled ? 'retry' : moodOf(other, byId, moods);
  });
  moods.set(task.id, mood);
  return mood;
}

function decideMood(task: RunTask, moodOfId: (id: string) => Mood): Mood {
  switch (task.status) {
    case 'PLANNED':
    case 'PENDING_APPROVAL':
      return 'person';
    case 'BLOCKED':
      if (task.notBefore !== null) return 'moving';
      return task.blockedOn?.task === undefined ? 'person' : moodOfId(task.blockedOn.task);
    case 'OPEN': {
      // It moves only when all that it waits for do; a single one that needs a retry or a person decides.
      const moods = task.waitsFor.map(moodOfId);
      if (moods.includes('retry')) return 'retry';
      return moods.includes('person') ? 'person' : 'moving';
    }
    case 'CLAIMED':
    case 'IN_PROGRESS':
    case 'DONE':
    case 'ORPHANED':
    case 'WAITING_FOR_SUBTASKS':
    case 'CLOSED':
    case 'CANCELLED':
    case 'FAILED':
      return 'moving';
    default:
      return task.status satisfies never;
  }
}

const shown = 5;
function keysOf(tasks: RunTask[]): string {
  const keys = tasks.slice(0, shown).map(({ key }) => key);
  return keys.join(', ') + (tasks.length > shown ? ` and ${tasks.length - shown} more` : '');
}
