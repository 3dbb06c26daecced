import type { Change } from './change.ts';
import { changeOf } from './to-change.ts';
import { approvalGiven, landed } from './landing-facts.ts';
import { startMoves } from './move-plan.ts';
import type { Item } from './situation.ts';

/** "landed": the change that confirms a landing and closes its task; null where the task is not DONE any more. Pure. */
export function landingChange(
  item: Item,
  options: { now: Date; landingId: string; actor: string },
): Change | null {
  const situation = { now: options.now, session: null, items: [item], others: [] };
  const plan = startMoves(situation, { actor: options.actor, reason: 'verified and landed' });
  landed(plan, item);
  if (plan.planned.refused !== null) return null;
  return { ...changeOf(plan.planned, situation), landing: { id: options.landingId } };
}

/** "approval given": the change of a named person's word; null where nothing waits for it any more. Pure. */
export function approvalChange(
  item: Item,
  options: {
    now: Date;
    actor: string;
    reason: string;
    say?: string | undefined;
    id: string;
    nonce: string;
    approve: boolean;
  },
): Change | null {
  const { now, actor, reason, say, id, nonce, approve } = options;
  const situation = { now, session: null, items: [item], others: [] };
  const plan = startMoves(situation, { actor, reason });
  approvalGiven(plan, item, { approve, reason, say, now });
  if (plan.planned.refused !== null) return null;
  return {
    ...changeOf(plan.planned, situation),
    decision: { id, status: approve ? 'approved' : 'rejected', by: actor, reason, nonce },
  };
}
