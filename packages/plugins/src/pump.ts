import type { Clock, Log } from '@baton/contracts';
import type { Host } from './host.ts';
import { createLane, type Lane, type LaneReport } from './lane.ts';
import { createPageReader, type ReadPage } from './page-reader.ts';

/** Where events come from and where places in the feed are kept. One process at a time should pump one database. */
export interface FeedSource {
  read: ReadPage;
  /** 0 for a name that was never set. */
  getCursor(name: string): Promise<number>;
  setCursor(name: string, position: number): Promise<void>;
  /** Events read at once; 200 when left out. */
  pageSize?: number;
  /** Longest time until new events are looked for; 1 000 when left out. Polling is the truth, `wake` only saves time. */
  pollMs?: number;
}

/** Feeds observers. Each plugin moves at its own pace: a slow or failing one delays no other. */
export interface Pump {
  /** Delivers at most one page to each plugin; resolves to how many events they got past, together. */
  runOnce(): Promise<number>;
  /** Delivers until every plugin that is not cut off has seen all there is. */
  drain(): Promise<void>;
  start(): void;
  /** Says that there may be new events. */
  wake(): void;
  /** Resolves when no handler is being waited for any more; cursors are kept. */
  stop(): Promise<void>;
  report(): Readonly<Record<string, LaneReport>>;
}

/** Makes the pump of a bus. Plugins without observers are left out. */
export function createPump(
  hosts: readonly Host[],
  options: { source: FeedSource; clock: Clock; log: Log; deadlineMs: number },
): Pump {
  const { source, clock, log, deadlineMs } = options;
  const { pageSize = 200, pollMs = 1_000 } = source;
  const read = createPageReader((after, limit) => source.read(after, limit), { limit: pageSize });
  const { getCursor, setCursor } = source;
  const lanes = hosts
    .filter((host) => host.state === 'ready' && host.observers.size > 0)
    .map((host) => ({
      host,
      lane: createLane(host, { read, getCursor, setCursor, clock, log, deadlineMs, maxAttempts: 10 }),
    }));
  const pauses = createPauses(pollMs);
  let loops: Promise<void>[] | null = null;
  let stopped = false;
  const loop = ({ host, lane }: (typeof lanes)[number]) =>
    follow(host, lane, { log, pauses, hasStopped: () => stopped });
  const runOnce = async () => {
    const passed = await Promise.all(lanes.map(({ lane }) => lane.step()));
    return passed.reduce((sum, count) => sum + count, 0);
  };
  return {
    runOnce,
    async drain() {
      await Promise.all(
        lanes.map(async ({ lane }) => {
          for (let passed = 1; passed > 0;) passed = await lane.step();
        }),
      );
    },
    start() {
      stopped = false;
      loops ??= lanes.map(loop);
    },
    wake: () => pauses.end(),
    async stop() {
      stopped = true;
      pauses.end();
      await Promise.all([...(loops ?? []), ...lanes.map(({ lane }) => lane.halt())]);
      loops = null;
    },
    report: () => Object.fromEntries(lanes.map(({ host, lane }) => [host.plugin.name, lane.report()])),
  };
}

/** Steps a lane until the pump stops, and pauses when there was nothing new. */
async function follow(
  host: Host,
  lane: Lane,
  { log, pauses, hasStopped }: { log: Log; pauses: Pauses; hasStopped: () => boolean },
): Promise<void> {
  while (!hasStopped() && host.state === 'ready') {
    const passed = await lane.step().catch((error: unknown) => {
      log.warn('the event feed cannot be read for plugins; trying again', {
        plugin: host.plugin.name,
        error: String(error),
      });
      return 0;
    });
    if (passed === 0 && !hasStopped()) await pauses.begin();
  }
}

interface Pauses {
  /** Resolves after some time, or when all pauses are ended. */
  begin(): Promise<void>;
  end(): void;
}

function createPauses(ms: number): Pauses {
  const running = new Set<() => void>();
  return {
    begin() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const done = () => {
        clearTimeout(timer);
        running.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      running.add(done);
      return promise;
    },
    end() {
      for (const done of [...running]) done();
    },
  };
}
