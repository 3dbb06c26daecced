import type { LoadedSituation } from './situation-of.ts';
import type { Fact, Progress } from './facts.ts';
import type { Claim } from './types.ts';

/**
 * The situations that this process knows from its own claims and records, so that the next fact of a holder is decided on the
 * caller's snapshot without reading it. Never trusted: each change names what it was decided on, and a miss reads anew.
 */
export interface Snapshots {
  /** The situation of these attempts, all of one session, in batch order. */
  of(attemptIds: readonly string[]): LoadedSituation | null;
  keep(situation: LoadedSituation): void;
  drop(attemptIds: readonly string[]): void;
}

const mostSessions = 2_000;

export function createSnapshots(): Snapshots {
  const sessions = new Map<string, LoadedSituation>();
  const sessionOf = new Map<string, string>();
  function forget(sessionId: string): void {
    for (const { attempt } of sessions.get(sessionId)?.items ?? []) sessionOf.delete(attempt.id);
    sessions.delete(sessionId);
  }
  return {
    of(attemptIds) {
      const situation = sessions.get(sessionOf.get(attemptIds[0] ?? '') ?? '');
      if (situation === undefined) return null;
      const items = situation.items.filter(({ attempt }) => attemptIds.includes(attempt.id));
      return items.length === attemptIds.length ? { ...situation, items } : null;
    },
    keep(situation) {
      const id = situation.session?.id;
      if (id === undefined) return;
      const fresh = new Map(situation.items.map((item) => [item.attempt.id, item]));
      const before = sessions.get(id)?.items ?? [];
      const items = before.map((item) => fresh.get(item.attempt.id) ?? item);
      for (const item of situation.items) if (!sessionOf.has(item.attempt.id)) items.push(item);
      sessions.delete(id);
      sessions.set(id, { ...situation, items });
      for (const { attempt } of items) sessionOf.set(attempt.id, id);
      const [oldest] = sessions.keys();
      if (sessions.size > mostSessions && oldest !== undefined) forget(oldest);
    },
    drop(attemptIds) {
      for (const attemptId of attemptIds) {
        const sessionId = sessionOf.get(attemptId);
        if (sessionId !== undefined) forget(sessionId);
      }
    },
  };
}

/** What a claim tells of the machines that its facts will move. */
export function situationsOf(claim: Claim, now: Date): LoadedSituation {
  return {
    now,
    session: {
      id: claim.sessionId,
      runId: claim.run.id,
      status: null,
      statusSeq: -1,
      executionState: 'pending',
      executionSeq: 0,
      currentAttemptId: null,
    },
    items: claim.tasks.map(({ task, attempt }, at) => ({
      task: {
        id: task.id,
        runId: task.runId,
        parentId: task.parentId,
        status: task.status,
        version: task.version,
        fence: attempt.fence,
        tries: task.tries,
        grantedTries: 0,
        maxRetries: task.maxRetries,
        conflicts: task.conflicts,
        setbacks: 0,
        cancelRequested: task.cancelRequested,
        costLeft: null,
        lineage: null,
      },
      attempt: {
        id: attempt.id,
        taskId: task.id,
        fence: attempt.fence,
        place: at + 1,
        turnStatus: attempt.turnStatus,
        turnSeq: attempt.turnSeq,
        openTools: 0,
        startCommit: null,
        headCommit: null,
        orphanCounts: false,
      },
    })),
    others: [],
  };
}

/** Facts decided without what a claim does not tell: retries, grants, the wish to cancel. */
const progress: ReadonlySet<string> = new Set<Progress['fact']>([
  'launched',
  'ready',
  'next_task',
  'tool_started',
  'tool_ended',
  'compaction_started',
  'compaction_ended',
  'done',
]);

/** Whether a fact can be decided on what its holder knows. */
export const isProgress = (fact: Fact): boolean => progress.has(fact.fact);
