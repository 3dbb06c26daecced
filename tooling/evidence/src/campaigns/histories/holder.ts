import { openStore } from '@baton/task-store';
import { createWorker } from '../../../../../apps/worker/src/index.ts';
import { systemClock, systemIds } from '../../../../../packages/service/src/system.ts';
import type { HolderOrder } from './holder-order.ts';
import { withSteps, type Stepper } from './steps.ts';

/** A worker that lands. */
export interface Holder {
  id: string;
  close(): Promise<void>;
}

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const told = {
  info: () => undefined,
  warn: (message: string, more?: object) => console.error('warn', message, JSON.stringify(more)),
  error: (message: string, more?: object) => console.error('error', message, JSON.stringify(more)),
};

/**
 * Opens a worker as production makes it, with short times, and its store's calls as steps. It has no label, so that it takes no task of a
 * history, whose author does the work; all that it does is land, sweep and tidy up.
 */
export async function openHolder(
  { url, stateDir, name, host, leaseMs }: HolderOrder,
  { stepper, held }: { stepper: Stepper; held: () => Promise<void> | null },
): Promise<Holder> {
  const store = await openStore({ url, clock: systemClock, ids: systemIds, poolSize: 4 });
  const worker = createWorker({
    store: withSteps(store, stepper, held),
    ...{ stateDir, name, capacity: 1 },
    ...(host === undefined ? {} : { host }),
    operatorEnv: { PATH: process.env.PATH, HOME: '/nonexistent' },
    ...{ clock: systemClock, ids: systemIds, isolation: 'copy' as const },
    log: process.env.HISTORIES_LOG === undefined ? quiet : told,
    timing: { leaseMs, renewMs: Math.round(leaseMs / 4), pollMs: 200, sweepMs: 800, heartbeatMs: 5_000 },
  });
  await worker.start();
  return {
    id: worker.id,
    async close() {
      await worker.stop();
      await store.close();
    },
  };
}
