import type { Store } from './api.ts';

/** The members of the store that write events. */
const writing = [
  'createRun',
  'approvePlan',
  'rejectPlan',
  'pauseRun',
  'resumeRun',
  'cancelRun',
  'amendRun',
  'failRun',
  'setBudget',
  'settleRun',
  'addTasks',
  'cancelTask',
  'retryTask',
  'unblockTask',
  'claimBatch',
  'claimTask',
  'claimMany',
  'record',
  'recordAll',
  'recordMany',
  'sweep',
  'takeOrphans',
  'takeForLanding',
  'takeLostHeads',
  'writeIntent',
  'confirmLanding',
  'abandonIntent',
  'saveVerdict',
  'decideApproval',
  'acceptDelivery',
  'setWorkerStatus',
] as const satisfies readonly (keyof Store)[];

/**
 * The same store, whose answers come once the log has their events: nothing that a caller knows of can be taken out without a
 * trace. Costs a round trip for a call that is alone. Source: docs/spec/store.md#feed.
 */
export function answeringAfterLogged(store: Store, logged: () => Promise<void>): Store {
  const after = Object.fromEntries(
    writing.map((name) => {
      const member = store[name] as (...args: unknown[]) => Promise<unknown>;
      const call = async (...args: unknown[]) => {
        const answer = await member(...args);
        await logged();
        return answer;
      };
      return [name, call];
    }),
  );
  return { ...store, ...after };
}
