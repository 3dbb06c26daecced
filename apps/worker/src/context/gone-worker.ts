import { isKnownDead, isOtherSpace } from '@baton/spawner';
import type { Worker } from '@baton/task-store';
import type { WorkerContext } from './context.ts';

const longestSilenceMs = 30_000;

/**
 * Whether the process of a worker is known to be gone (docs/spec/store.md#leases). Machines and containers may share a host name: what
 * does not run where this process runs is judged by its lease, but for what this machine ran before it was started again.
 */
export function isGone(ctx: Pick<WorkerContext, 'worker'>, worker: Worker): boolean {
  const { pid, pidStarted, bootId: space, host } = worker;
  if (host !== ctx.worker.host || !isKnownDead({ pid, pidStarted, space })) return false;
  // A copy of this machine says of itself that it is this one; it gives signs of life.
  return !isOtherSpace(space) || worker.silentMs >= longestSilenceMs;
}
