import { randomUUID } from 'node:crypto';
import { processStartTime } from '@baton/testkit';
import type { Fact, Store } from '../../../src/index.ts';
import type { Life } from './life-work.ts';
import type { LifeWorld } from './life-world.ts';

/** What each process of a life is told of its surroundings. */
export interface LifePlace {
  host: string;
  leaseMs: number;
}

/** A new process that takes part. */
export function lifeOf(store: Store, { host, leaseMs }: LifePlace): Life {
  const workerId = randomUUID();
  const actor = `worker:${workerId}`;
  return {
    store,
    workerId,
    host,
    leaseMs,
    actor,
    tell: (fact: Fact) => store.claims.record(fact, { actor }),
  };
}

/** Tells the store of this process. */
export async function register({ store, ...life }: Life): Promise<void> {
  await store.workers.register({
    id: life.workerId,
    name: life.workerId,
    host: life.host,
    pid: process.pid,
    pidStarted: processStartTime(process.pid) ?? '',
    bootId: 'b',
    capacity: 1,
    labels: [],
    version: '0',
    runId: null,
  });
}

/** What dead processes of this host left, what this one forgot when the database was away, and what lapsed anywhere. */
export async function recover(life: Life): Promise<void> {
  const { store, tell } = life;
  const here = (await store.workers.list()).filter(
    ({ host, status }) => host === life.host && status !== 'offline',
  );
  const gone = here.filter(({ pid, pidStarted }) => processStartTime(pid) !== pidStarted);
  const goneIds = new Set([life.workerId, ...gone.map(({ id }) => id)]);
  for (const { id, workerId } of await store.tasks.sessions({ live: true })) {
    if (!goneIds.has(workerId)) continue;
    await tell({
      fact: 'process_died',
      sessionId: id,
      exitCode: null,
      abortReason: 'parent_aborted',
      reason: 'gone',
    });
  }
  for (const { id } of gone)
    await store.workers.setStatus(id, 'offline', { actor: life.actor, reason: 'its process is gone' });
  await store.claims.sweep({ actor: life.actor, leaseMs: life.leaseMs });
  const orphans = await store.claims.takeOrphans({
    workerId: life.workerId,
    host: life.host,
    leaseMs: life.leaseMs,
  });
  for (const { task, attempt, run } of orphans) {
    const holding = { attemptId: attempt.id, fence: attempt.fence };
    const finished = task.key === 'finished-orphan';
    await tell({
      fact: 'orphan_settled',
      holding,
      reason: 'found',
      ...(finished
        ? { to: 'DONE', startCommit: 'b'.repeat(40), headCommit: 'c'.repeat(40), summary: 'it had finished' }
        : { to: 'OPEN' }),
    });
    await store.runs.settle(run.id);
  }
}

/** Reads the feed to its end, and keeps what it has read. */
export async function readFeed(store: Store, world: LifeWorld): Promise<void> {
  await store.feed.sequence();
  for (;;) {
    const after = await store.feed.getCursor('reader');
    const events = await store.feed.read({ after, limit: 100 });
    const positions = events.flatMap(({ position }) => (position === null ? [] : [position]));
    const last = positions.at(-1);
    if (last === undefined) return;
    world.consume(positions);
    await store.feed.setCursor('reader', last);
  }
}
