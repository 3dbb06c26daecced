// One process of a life: takes part in it until all of it is over. Told what to do as JSON in its first argument.
import { setTimeout as delay } from 'node:timers/promises';
import { BatonError } from '@baton/contracts';
import pg from 'pg';
import { openStore, type Run, type Store } from '../../../src/index.ts';
import { landAll, type LandingFault } from './life-landing.ts';
import { act, begin, tasksOf } from './life-people.ts';
import { lifeOf, readFeed, recover, register } from './life-upkeep.ts';
import { lifeWorld, type LifeWorld } from './life-world.ts';
import { workClaim, type Life } from './life-work.ts';

/** What a process of a life is told. */
export interface LifeOrder {
  url: string;
  /** Folder of the world outside of the store. */
  folder: string;
  host: string;
  leaseMs: number;
  /** A planted fault, to see that the campaign tells. */
  fault: LandingFault | 'skip recovery';
}

const [argument] = process.argv.slice(2);
if (argument !== undefined) await main(JSON.parse(argument) as LifeOrder);

async function main(order: LifeOrder): Promise<void> {
  const store = await openStore({ url: order.url, poolSize: 4, random: () => 0 });
  const timer = new pg.Pool({ connectionString: order.url, max: 1 });
  timer.on('error', () => undefined);
  const world = lifeWorld(order.folder);
  const life = lifeOf(store, order);
  for (;;) {
    try {
      await live(life, { order, world, makeDue: () => makeDue(timer) });
      await store.workers.setStatus(life.workerId, 'offline', { actor: life.actor, reason: 'it ended' });
      break;
    } catch (error) {
      // The database is away: what was under way is forgotten, and told again from the start when it is back.
      if (!BatonError.is(error, 'DATABASE_UNREACHABLE')) throw error;
      await delay(100);
    }
  }
  await timer.end();
  await store.close();
}

/** Back-offs are over at once: only the order of things is of interest here. */
async function makeDue(timer: pg.Pool): Promise<void> {
  await timer
    .query(
      `/* time */ UPDATE task SET not_before = now() - interval '1 second' WHERE not_before > now() AND not_before < '2900-01-01'`,
    )
    .catch(() => undefined);
}

interface Surroundings {
  order: LifeOrder;
  world: LifeWorld;
  makeDue(): Promise<void>;
}

async function live(life: Life, { order, world, makeDue }: Surroundings): Promise<void> {
  const { store } = life;
  await register(life);
  if (order.fault !== 'skip recovery') await recover(life);
  const run = await begin(store);
  for (;;) {
    await store.workers.heartbeat(life.workerId);
    if (order.fault !== 'skip recovery') await recover(life);
    const acted = await act(store, run);
    const worked = await claimOnce(life);
    const landed = await landAll(life, {
      world,
      fault: order.fault === 'skip recovery' ? null : order.fault,
    });
    await store.runs.settle(run.id);
    await readFeed(store, world);
    if (acted || worked || landed) continue;
    if (await isOver(store, run)) return;
    await makeDue();
    await delay(10);
  }
}

async function claimOnce(life: Life): Promise<boolean> {
  const claim = await life.store.claims.claimBatch({
    workerId: life.workerId,
    maxTasks: 3,
    leaseMs: life.leaseMs,
    capabilities: { host: life.host, labels: [] },
  });
  if (claim === null) return false;
  await workClaim(life, claim);
  return true;
}

async function isOver(store: Store, run: Run): Promise<boolean> {
  const { items } = await store.tasks.list({ limit: 200 });
  const hopeless = await store.runs.find('hopeless');
  const open = items.filter(({ settled, runId }) => !settled && runId !== hopeless.id);
  return open.length === 0 && (await tasksOf(store, run.id)).length > 0;
}
