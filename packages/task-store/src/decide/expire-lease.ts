import type { Change } from './change.ts';
import { changeOf } from './to-change.ts';
import type { Reporter } from './decide-fact.ts';
import { startMoves } from './move-plan.ts';
import type { Planned } from './plan-state.ts';
import { leaseLapsed, sessionLost } from './session-facts.ts';
import type { Situation } from './situation.ts';

/**
 * "lease lapsed" for one session; a renewal in between wins. Null where there is nothing left to expire. Pure.
 * Source: docs/spec/kernel.md#coupled-steps, docs/spec/store.md#expiry.
 */
export function leaseExpiry(situation: Situation, by: Reporter): { change: Change; planned: Planned } | null {
  const plan = startMoves(situation, {
    actor: by.actor,
    reason: 'the lease lapsed: its supervisor fell silent',
    abortReason: leaseLapsed.abortReason,
  });
  sessionLost(plan, situation.items, { loss: leaseLapsed, context: { situation, random: by.random } });
  if (plan.planned.refused !== null) return null;
  const change = changeOf(plan.planned, situation);
  // The process may live on unseen: what it may spend stays reserved until its deadline.
  const attempts = (change.attempts ?? []).map((entry) =>
    'new' in entry
      ? entry
      : {
          ...entry,
          free: undefined,
          ...(entry.patch.fence === undefined ? {} : { ifLapsed: true as const }),
        },
  );
  return { change: { ...change, attempts }, planned: plan.planned };
}
