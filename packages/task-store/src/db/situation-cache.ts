import type { LoadedSituation } from '../decide/loaded-situation.ts';

/**
 * The situations that this process knows from its own claims and records, so that the next fact of a holder is decided on the
 * caller's snapshot without reading it. Never trusted: each change names what it was decided on, and a miss reads again.
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
