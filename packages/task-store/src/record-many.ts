import type { Progress, RecordOutcome, Store } from './api.ts';
import { apply } from './apply.ts';
import type { Change } from './change.ts';
import type { Db } from './db.ts';
import { changeOf } from './moves/change-of.ts';
import { attemptsOf, coupledSequence } from './moves/sequence.ts';
import type { LoadedSituation } from './situation-of.ts';

interface Decided {
  change: Change;
  after: LoadedSituation;
  outcome: RecordOutcome;
}

/**
 * Records the progress of many sessions in one statement, decided on what this process knows of them. Where that was not
 * enough, or one of them was overtaken, each is recorded by itself: one that is refused never holds up the others.
 */
export const recordMany =
  (db: Db, recordAll: Store['recordAll']): Store['recordMany'] =>
  async (reports, by) => {
    const decided = reports.map((facts) => decideKnown(db, { facts, actor: by.actor }));
    const together = decided.filter((each) => each !== null);
    if (together.length === reports.length && together.length > 0) {
      const applied = await apply(db, merged(together.map(({ change }) => change)));
      if (applied.ok) {
        for (const { after } of together) db.snapshots.keep(after);
        return together.map(({ outcome }) => outcome);
      }
      for (const facts of reports) db.snapshots.drop(facts.flatMap(attemptsOf));
    }
    const outcomes: RecordOutcome[] = [];
    for (const facts of reports) outcomes.push(await recordAll(facts, by));
    return outcomes;
  };

function decideKnown(
  db: Db,
  { facts, actor }: { facts: readonly [Progress, ...Progress[]]; actor: string },
): Decided | null {
  const situation = db.snapshots.of([...new Set(facts.flatMap(attemptsOf))]);
  if (situation === null || facts.some((fact) => isStale(fact, situation))) return null;
  const { planned, after } = coupledSequence(facts, situation, { actor, random: db.random() });
  if (planned.refused !== null) return null;
  const [item] = after.items;
  const outcome: RecordOutcome = { ok: true, taskStatus: item?.task.status ?? null };
  return { change: changeOf(planned, situation), after, outcome };
}

/** Whether the reporter shows another fence than the one that stands. */
function isStale(fact: Progress, { items }: LoadedSituation): boolean {
  const holdings = 'holdings' in fact ? fact.holdings : [fact.holding];
  return holdings.some(({ attemptId, fence }) =>
    items.some(({ attempt }) => attempt.id === attemptId && attempt.fence !== fence),
  );
}

function merged(changes: readonly Change[]): Change {
  return {
    events: changes.flatMap(({ events = [] }) => events),
    sessions: changes.flatMap(({ sessions = [] }) => sessions),
    tasks: changes.flatMap(({ tasks = [] }) => tasks),
    attempts: changes.flatMap(({ attempts = [] }) => attempts),
  };
}
