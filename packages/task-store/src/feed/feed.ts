import type { Store } from '../api/store.ts';
import { query, queryOne, type Db } from '../db/query.ts';
import { listen } from '../db/notify.ts';
import type { FeedEvent } from '../model/event.ts';
import { cursorOf, setCursorStatement } from './cursor.sql.ts';
import { expandChange, type FeedChange } from './expand-change.ts';
import * as sql from './feed.sql.ts';

/** Changes of one entry of the log at most: who reads a page of the feed opens a whole entry. */
export const changesOfAnEntry = 2_000;

/** Logs what is committed; returns how many changes. `waits`: also what another process is about to log is in the log then. */
async function log(db: Db, waits: boolean): Promise<number> {
  let all = 0;
  for (;;) {
    const logged = (await queryOne(db, sql.logStatement, [changesOfAnEntry, waits]))?.logged ?? 0;
    all += logged;
    if (logged < changesOfAnEntry) return all;
  }
}

export const sequence =
  (db: Db): Store['feed']['sequence'] =>
  () =>
    log(db, false);

/** Resolves once all that was committed before the call is in the log; calls of one moment go together. */
export function createLogger(db: Db): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= running.then(async () => {
      next = undefined;
      const work = log(db, true);
      running = work.catch(() => undefined);
      await work;
    }));
}

/** Events that a change has on average, at least: so many fewer changes fill a page. */
const eventsPerChange = 2;

export const readFeed =
  (db: Db): Store['feed']['read'] =>
  async ({ after, limit, runId }) => {
    const events: FeedEvent[] = [];
    for (let from = after; events.length < limit;) {
      const most = Math.ceil((limit - events.length) / eventsPerChange);
      const changes = await changesAfter(db, { from, most, runId });
      const moves = await movesOf(db, changes);
      const found = changes.flatMap((change) => expandChange(change, moves.get(change.step) ?? []));
      events.push(...found.filter(({ position }) => Number(position) > from).slice(0, limit - events.length));
      if (changes.length < most) break;
      // Also where the dictionary has lost a step, which `verify-audit` reports: its changes have no events.
      from = Math.max(from + 1, Number(found.at(-1)?.position ?? 0));
    }
    return events;
  };

function changesAfter(
  db: Db,
  { from, most, runId }: { from: number; most: number; runId?: string | undefined },
) {
  return runId === undefined
    ? query(db, sql.readFeedStatement, [from, most])
    : query(db, sql.readRunFeedStatement, [from, most, runId]);
}

/** The moves of the steps of these changes; steps never change, so each is read once. */
async function movesOf(db: Db, changes: readonly FeedChange[]): Promise<Db['steps']> {
  const unknown = new Set(changes.map(({ step }) => step).filter((step) => !db.steps.has(step)));
  if (unknown.size === 0) return db.steps;
  const moves = await query(db, sql.stepMovesStatement, [[...unknown]]);
  for (const step of unknown)
    db.steps.set(
      step,
      moves.filter((move) => move.step === step),
    );
  return db.steps;
}

export const feedPosition =
  (db: Db): Store['feed']['position'] =>
  async () =>
    (await queryOne(db, sql.feedPositionStatement, []))?.position ?? 0;

export const onWake =
  (db: Db): Store['feed']['onWake'] =>
  (channel, wake) =>
    Promise.resolve(listen(db.url, channel, wake));

export const history =
  (db: Db): Store['tasks']['history'] =>
  ({ machine, entityId }) =>
    query(db, sql.historyStatement, [entityId, machine ?? null]);

export const getCursor =
  (db: Db): Store['feed']['getCursor'] =>
  async (name) =>
    (await queryOne(db, cursorOf, [name]))?.position ?? 0;

export const setCursor =
  (db: Db): Store['feed']['setCursor'] =>
  async (name, position) => {
    await query(db, setCursorStatement, [name, position]);
  };
