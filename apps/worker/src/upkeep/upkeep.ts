import { BatonError } from '@baton/contracts';
import { actorOf, type WorkerContext } from '../context/context.ts';
import { settleLostHeads } from '../landing/land-work.ts';
import { createKeeper, keepTickMs } from '../task/keep-within.ts';
import { dropLeftRefs } from '../landing/left-refs.ts';
import { createLookAhead } from './expect-conflicts.ts';
import { reportDeadSessions, settleOrphans } from './orphans.ts';
import type { BatchEnd } from '../loop/run-batch.ts';
import { pauseIfStarved } from '../loop/starved.ts';
import { startTicker, type Ticker } from '@baton/service';

/** A task whose time has come is ready within a second (docs/spec/store.md#ready). */
const wakeMs = 1_000;
const feedMs = 100;
/** What happens within this time is numbered at once. */
const feedGapMs = 40;

/** How often ends of batches make a sweep, at most: with many short tasks each of them would. */
const sweepGapMs = 1_000;

/** The timers of a worker. */
export interface Upkeep {
  /** A batch is over: looks for work at once, and for what it left: at once too where it did not end as it should. */
  wake(end: BatchEnd): void;
  /** Ends landing after the round under way: a caller that lands afterwards holds its lanes alone. */
  stopLanding(): Promise<void>;
  stop(): Promise<void>;
}

/** What a worker claims and lands with. */
interface Work {
  claim: () => Promise<void>;
  land: (onChange: () => void) => Promise<void>;
}

/** Starts claiming, landing, renewing, sweeping and numbering the feed; each on its own timer, woken when work appears. */
export function startUpkeep(ctx: WorkerContext, work: Work): Upkeep {
  const tickers = startTickers(ctx, work);
  const { claim, land, sweep } = tickers;
  const wakes = wakeOnEvents(ctx, tickers);
  wakes.catch((cause: unknown) =>
    ctx.log.warn('wake-ups are off; polling continues', { cause: String(cause) }),
  );
  return {
    wake({ plain }) {
      claim.wake();
      land.wake();
      // An agent that died left an orphan: it is settled now, not at the next round.
      if (plain) sweep.soon(sweepGapMs);
      else sweep.wake();
    },
    stopLanding: () => land.stop(),
    async stop() {
      const unlisten = await wakes.catch(() => []);
      await Promise.all(unlisten.map((stop) => stop()));
      await Promise.all(Object.values(tickers).map((ticker) => ticker.stop()));
    },
  };
}

type Tickers = ReturnType<typeof startTickers>;

function startTickers(ctx: WorkerContext, work: Work) {
  const { log, timing } = ctx;
  const start = (name: string, everyMs: number, run: () => Promise<void>): Ticker =>
    startTicker(name, { everyMs, log, run });
  const claim = start('claiming', timing.pollMs, work.claim);
  const land = start('landing', timing.pollMs, () => work.land(() => claim.wake()));
  const renew = start('renewing leases', timing.renewMs, () => renewLeases(ctx));
  const sweep = start('sweeping', timing.sweepMs, async () => {
    await sweepOnce(ctx);
    claim.wake();
    land.wake();
  });
  const wake = start('waking what is due', wakeMs, async () => {
    if ((await ctx.store.claims.wake({ actor: actorOf(ctx) })) > 0) claim.wake();
  });
  const heartbeat = start('heartbeat', timing.heartbeatMs, () => beat(ctx));
  const feed = start('numbering events', feedMs, async () => void (await ctx.store.feed.sequence()));
  const keep = start('keeping within retention', keepTickMs(ctx), createKeeper(ctx));
  const probe = start('probing for conflicts', timing.probeMs, createLookAhead(ctx));
  return { claim, land, renew, sweep, wake, heartbeat, feed, keep, probe };
}

function wakeOnEvents(ctx: WorkerContext, { claim, land, renew, feed }: Tickers) {
  const onWork = (): void => {
    claim.wake();
    land.wake();
    renew.wake();
  };
  return Promise.all([
    ctx.store.feed.onWake('work', onWork),
    ctx.store.feed.onWake('events', () => feed.soon(feedGapMs)),
  ]);
}

/** Renews every lease of this worker; stops agents whose attempt is lost or is to be cancelled. */
async function renewLeases(ctx: WorkerContext): Promise<void> {
  const { lost, cancelRequested } = await ctx.store.claims.renewLeases({
    workerId: ctx.worker.id,
    leaseMs: ctx.timing.leaseMs,
  });
  for (const id of lost) ctx.live.get(id)?.('lease_lost');
  for (const id of cancelRequested) ctx.live.get(id)?.('cancel');
}

async function sweepOnce(ctx: WorkerContext): Promise<void> {
  await reportDeadSessions(ctx);
  if (ctx.landingRefs.mayBeLeft) {
    // Before runs are settled: no worker looks for what an ended run left.
    ctx.landingRefs.mayBeLeft = !(await dropLeftRefs(ctx));
  }
  await ctx.store.claims.sweep({ actor: actorOf(ctx), leaseMs: ctx.timing.leaseMs });
  await settleOrphans(ctx);
  await settleLostHeads(ctx);
  const starved = await pauseIfStarved(ctx);
  if (starved !== null) ctx.onDrain(starved);
}

async function beat(ctx: WorkerContext): Promise<void> {
  try {
    const { status, at } = await ctx.store.workers.heartbeat(ctx.worker.id);
    ctx.setClock(at);
    if (status === 'draining') ctx.onDrain(null);
  } catch (cause) {
    if (!BatonError.is(cause, 'DATABASE_UNREACHABLE')) throw cause;
    ctx.log.warn('Postgres does not answer; the worker waits for it');
  }
}
