import type { Store } from '../api/store.ts';

/** The members of each group that write events. */
const writing: { readonly [Group in keyof Store]?: readonly (keyof Store[Group])[] } = {
  runs: [
    'create',
    'approvePlan',
    'rejectPlan',
    'pause',
    'resume',
    'cancel',
    'amend',
    'fail',
    'setBudget',
    'settle',
  ],
  tasks: ['add', 'cancel', 'retry', 'unblock'],
  claims: ['claimBatch', 'claimTask', 'record', 'recordAll', 'sweep', 'takeOrphans'],
  lanes: [
    'takeForLanding',
    'takeLostHeads',
    'writeIntents',
    'confirm',
    'abandon',
    'noteUnlanded',
    'saveVerdict',
  ],
  approvals: ['decide'],
  inbox: ['accept'],
  workers: ['setStatus'],
};

/**
 * The same store, whose answers come once the log has their events: nothing that a caller knows of can be taken out without a
 * trace. Costs a round trip for a call that is alone. Source: docs/spec/store.md#feed.
 */
export function answeringAfterLogged(store: Store, logged: () => Promise<void>): Store {
  const after = Object.entries(writing).map(([group, names]) => {
    const members = store[group as keyof typeof writing] as unknown as Readonly<Record<string, Member>>;
    const slower = (names as readonly string[]).map((name) => {
      const member = members[name];
      if (member === undefined) throw new Error(`The store has no ${group}.${name}.`);
      const call = async (...args: unknown[]) => {
        const answer = await member(...args);
        await logged();
        return answer;
      };
      return [name, call] as const;
    });
    return [group, { ...members, ...Object.fromEntries(slower) }] as const;
  });
  return { ...store, ...Object.fromEntries(after) };
}

type Member = (...args: unknown[]) => Promise<unknown>;
