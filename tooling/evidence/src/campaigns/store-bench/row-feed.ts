import type { Store } from '@baton/task-store';
import { openStore } from '@baton/task-store';
import type { Work } from './contender.ts';
import { compare, figuresOf, linesOf, type Row } from './row.ts';
import { interleave } from './rounds.ts';
import { seededStore } from './seeds.ts';
import type { BenchServer } from './server.ts';
import { oneByOne } from './store-contender.ts';

const pageSize = 500;
const everyMs = 20;

/** Numbers events every 20 ms at most and reads them, as a server does for its subscribers, on connections of its own. */
export async function startFeed(url: string): Promise<{ read: () => number; stop: () => Promise<void> }> {
  const store = await openStore({ url, poolSize: 2 });
  let after = await store.feed.position();
  let read = 0;
  let woken = true;
  let stopped = false;
  const stopListening = await store.feed.onWake('events', () => {
    woken = true;
  });
  const loop = async () => {
    while (!stopped) {
      if (woken) {
        woken = false;
        await store.feed.sequence();
        for (;;) {
          const events = await store.feed.read({ after, limit: pageSize });
          after = events.at(-1)?.position ?? after;
          read += events.length;
          if (events.length < pageSize) break;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  };
  const running = loop();
  return {
    read: () => read,
    async stop() {
      stopped = true;
      await running;
      await stopListening();
      await store.close();
    },
  };
}

/** Claimers while somebody follows the feed. */
async function withFeed(store: Store, { claimers }: BenchServer): Promise<Work> {
  const feed = await startFeed(store.url);
  const work = oneByOne(store, claimers);
  return {
    done: () => work.done(),
    async stop() {
      await work.stop();
      await feed.stop();
      if (feed.read() === 0) throw new Error('The feed gave no events.');
    },
  };
}

const [on, off] = ['feed on', 'feed off'];

/** What following the events costs those who make them. */
export const feedRow: Row = {
  name: 'feed',
  work: 'claim rate with the live feed on (numbered and read every 20 ms) against off',
  async run(context) {
    const kinds = [seededStore(off, {}), seededStore(on, {}, withFeed)];
    const sizes = context.short
      ? { rounds: 1, warmMs: 50, windowMs: 100, backlog: 1000 }
      : { rounds: 5, warmMs: 500, windowMs: 2500, backlog: 25_000 };
    const { samples, broken } = await interleave(context, { row: 'feed', kinds, sizes });
    return {
      aims: [
        ...compare(samples, [on, off], {
          what: 'rate with the feed on ÷ off',
          measure: 'perSecond',
          least: 0.95,
        }),
        ...compare(samples, [on, off], { what: 'CPU per job with the feed on ÷ off', measure: 'cpuMs' }),
      ],
      lines: linesOf(samples),
      figures: figuresOf(samples),
      broken,
    };
  },
};
