import type { TaskStatus } from '@baton/fsm-core';
import { lacksMoney, moneyReason, type Money, type Need } from './budget-room.ts';
import type { Task } from '../model/task.ts';
import type { Run, RunStatus } from '../model/run.ts';

/** What a run's status is computed from. */
export interface RunTask extends Need {
  id: string;
  parentId: string | null;
  status: TaskStatus;
  settled: boolean;
  notBefore: Date | null;
  blockedOn: Task['blockedOn'];
  /** Dependencies that are not CLOSED. */
  waitsFor: string[];
}

type NextMover = 'moving' | 'person' | 'money' | 'retry';

/**
 * done: all CLOSED · failed: all settled, some FAILED · waiting: only a person's word moves it, more money included · stuck: only a
 * retry does · running: anything else. Pure. Null leaves the run as it is. Source: docs/spec/store.md#runs.
 */
export function runOutcome(state: {
  run: Pick<Run, 'slug' | 'status' | 'statusReason'> & { standing: boolean };
  tasks: RunTask[];
  money: Money | null;
}): NextRun | null {
  const { run, tasks, money } = state;
  const open = tasks.filter((task) => !task.settled);
  if (run.status === 'cancelled' || tasks.length === 0) return null;
  // A run that was failed before any work stays so; a paused one until somebody resumes it or nothing is left.
  if (open.length > 0 && (run.status === 'failed' || run.status === 'paused')) return null;
  if (open.length === 0) return run.standing ? { status: 'running', reason: null } : ending(tasks);
  const moverOf = moversOf(tasks, money);
  const movedBy = (mover: NextMover): RunTask[] => open.filter((task) => moverOf(task) === mover);
  if (movedBy('moving').length > 0) return { status: 'running', reason: null };
  const asked = movedBy('person').filter(isFirst);
  const [poor, ...others] = movedBy('money').filter(isFirst);
  const reasons = [
    ...(asked.length === 0 ? [] : [`waits for a person: ${keysOf(asked)}`]),
    ...(poor === undefined || money === null
      ? []
      : [moneyReason([poor, ...others], { money, slug: run.slug, keys: keysOf([poor, ...others]) })]),
  ];
  return reasons.length > 0
    ? { status: 'waiting', reason: reasons.join('; ') }
    : { status: 'stuck', reason: stuckReason(tasks, movedBy('retry')) };
}

/** Names the tasks that can be retried, and not those that only wait for them: a cancelled one cannot, what is blocked on it can. */
function stuckReason(tasks: RunTask[], stuck: readonly RunTask[]): string {
  const needed = new Set(stuck.flatMap(({ waitsFor, blockedOn }) => [...waitsFor, blockedOn?.task]));
  const failed = tasks.filter(({ id, settled, status }) => settled && status === 'FAILED' && needed.has(id));
  const ofFailed = new Set(failed.map(({ id }) => id));
  const ended = new Set(tasks.flatMap(({ id, settled }) => (settled && !ofFailed.has(id) ? [id] : [])));
  const blocked = stuck.filter(
    ({ status, blockedOn }) => status === 'BLOCKED' && ended.has(blockedOn?.task ?? ''),
  );
  const retried = [...failed, ...blocked];
  const others = stuck.filter((task) => !blocked.includes(task));
  if (retried.length === 0 || others.length === 0) return `only a retry moves: ${keysOf([...stuck])}`;
  return `only a retry of ${keysOf(retried)} moves: ${keysOf(others)}`;
}

/** Not one that only follows others. */
function isFirst({ status, waitsFor, blockedOn }: RunTask): boolean {
  if (status === 'OPEN') return waitsFor.length === 0;
  return status !== 'WAITING_FOR_SUBTASKS' && blockedOn?.task === undefined;
}

function ending(tasks: RunTask[]): NextRun {
  const failed = tasks.filter((task) => task.status === 'FAILED');
  if (failed.length > 0) return { status: 'failed', reason: `failed: ${keysOf(failed)}` };
  const cancelled = tasks.filter((task) => task.status === 'CANCELLED');
  return cancelled.length > 0
    ? { status: 'cancelled', reason: `cancelled: ${keysOf(cancelled)}` }
    : { status: 'done', reason: null };
}

/** Who moves a task next: somebody at work or a timer, a person's word, more money, or only a retry. */
function moversOf(tasks: RunTask[], money: Money | null): (task: RunTask) => NextMover {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const children = Map.groupBy(tasks, ({ parentId }) => parentId);
  const movers = new Map<string, NextMover>();
  const moverOf = (task: RunTask): NextMover => {
    const known = movers.get(task.id);
    if (known !== undefined) return known;
    movers.set(task.id, 'moving');
    const mover = decideMood(task, {
      moverOfId(id) {
        const other = byId.get(id);
        if (other === undefined || other.status === 'CLOSED') return 'moving';
        return other.settled ? 'retry' : moverOf(other);
      },
      lacksMoney: lacksMoney(task, money),
      children: () =>
        (children.get(task.id) ?? [])
          .filter(({ status }) => status !== 'CLOSED')
          .map((child) => (child.settled ? 'moving' : moverOf(child))),
    });
    movers.set(task.id, mover);
    return mover;
  };
  return moverOf;
}

interface Around {
  moverOfId: (id: string) => NextMover;
  lacksMoney: boolean;
  children: () => NextMover[];
}

function decideMood(task: RunTask, around: Around): NextMover {
  switch (task.status) {
    case 'PLANNED':
    case 'PENDING_APPROVAL':
      return 'person';
    case 'BLOCKED':
      if (task.notBefore !== null) return 'moving';
      return task.blockedOn?.task === undefined ? 'person' : around.moverOfId(task.blockedOn.task);
    case 'OPEN': {
      // It moves only when all that it waits for do; a single one that needs a retry or a person decides.
      const movers = task.waitsFor.map(around.moverOfId);
      const worst = (['retry', 'person', 'money'] as const).find((mover) => movers.includes(mover));
      return worst ?? (movers.length === 0 && around.lacksMoney ? 'money' : 'moving');
    }
    case 'WAITING_FOR_SUBTASKS': {
      // It moves as long as one of its children does. When all are closed or one is lost, upkeep moves it.
      const movers = around.children();
      return (
        (['moving', 'person', 'money', 'retry'] as const).find((mover) => movers.includes(mover)) ?? 'moving'
      );
    }
    case 'CLAIMED':
    case 'IN_PROGRESS':
    case 'DONE':
    case 'ORPHANED':
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

/** What a run becomes, or null to leave it. */
export interface NextRun {
  status: RunStatus;
  reason: string | null;
}
