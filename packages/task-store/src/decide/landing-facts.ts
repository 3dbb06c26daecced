import type { Fact } from '../model/fact.ts';
import { endAttempt, moveOn } from './end-attempt.ts';
import type { FactContext } from './attempt-facts.ts';
import type { MovePlan } from './move-plan.ts';
import type { Item } from './situation.ts';

type FactOf<Name extends Fact['fact']> = Extract<Fact, { fact: Name }>;

/** "orphan settled": DONE when complete by evidence, else back to OPEN, or FAILED. */
export function orphanSettled(
  plan: MovePlan,
  item: Item,
  { fact, context }: { fact: FactOf<'orphan_settled'>; context: FactContext },
): void {
  const salvage = fact.salvageRef === undefined ? {} : { salvageRef: fact.salvageRef };
  if (fact.to === 'DONE') {
    plan.task(item, 'DONE', { transitionReason: 'orphan_recovered' });
    if (plan.turnStatus(item) === 'TOOL_USE') plan.turn(item, 'tool_completed');
    if (plan.turnStatus(item) === 'COMPACTING') plan.turn(item, 'compact_completed');
    plan.turn(item, 'verify_requested');
    return plan.patchAttempt(item, {
      startCommit: fact.startCommit ?? item.attempt.startCommit,
      headCommit: fact.headCommit ?? item.attempt.headCommit,
      summary: fact.summary ?? null,
      workerId: null,
      leaseExpiresAt: null,
      orphanedAt: null,
      openTools: 0,
      doneAt: 'now',
      ...salvage,
    });
  }
  const failure = item.attempt.orphanCounts ? 'crashed' : 'lease_lost';
  const ending = {
    failure,
    now: context.situation.now,
    random: context.random,
    transitionReason: 'orphan_recovered',
  } as const;
  const denied = item.attempt.orphanCounts ? fact.denied : undefined;
  const { counted } = moveOn(plan, item, { ...ending, via: fact.to, denied });
  // A crash may come from the very work it continued from; a lost lease says nothing about it.
  if (failure === 'crashed') plan.patchTask(item, { continueFrom: null });
  endAttempt(plan, item, { outcome: failure, counted, orphanedAt: null, ...salvage });
}

/** Landing waits for VERIFYING; a parent's attempt has no turn. */
function isVerifiable(plan: MovePlan, item: Item): boolean {
  return ['VERIFYING', 'IDLE'].includes(plan.turnStatus(item));
}

/** "rejected": a rejected range is continued from, a conflict or a lost head begins afresh, `base_rejected` keeps its range and its try. */
export function rejected(
  plan: MovePlan,
  item: Item,
  { fact, context }: { fact: FactOf<'rejected'>; context: FactContext },
): void {
  if (!isVerifiable(plan, item)) return plan.refuse('turn', plan.turnStatus(item), fact.fact);
  const { counted } = moveOn(plan, item, {
    failure: fact.kind,
    via: 'FAILED',
    denied: fact.denied,
    now: context.situation.now,
    random: context.random,
  });
  const startsAfresh = fact.kind === 'conflict' || fact.kind === 'head_lost';
  plan.patchTask(item, { continueFrom: startsAfresh ? null : rangeOf(item) });
  endAttempt(plan, item, { outcome: fact.kind, counted, rejections: fact.reasons });
}

/** "approval wanted": the turn stays VERIFYING; until the answer no lease, slot, workspace or reservation is held. */
export function approvalWanted(plan: MovePlan, item: Item): void {
  if (!isVerifiable(plan, item)) return plan.refuse('turn', plan.turnStatus(item), 'approval_wanted');
  plan.overrideTask(item, 'PENDING_APPROVAL');
  // The lane's holder gives it up: said again after a person's word, it would ask a second time.
  const fence = item.task.fence + 1;
  plan.patchTask(item, { fence });
  plan.patchAttempt(item, { fence, workerId: null, leaseExpiresAt: null });
}

/** "landed" */
export function landed(plan: MovePlan, item: Item): void {
  plan.task(item, 'CLOSED', { transitionReason: 'completed' });
  if (plan.turnStatus(item) !== 'IDLE') plan.turn(item, 'task_completed', 'agent_reaped');
  plan.patchTask(item, { settled: true, continueFrom: null, cancelRequested: false });
  plan.patchAttempt(item, {
    outcome: 'done',
    counted: true,
    workerId: null,
    leaseExpiresAt: null,
    endedAt: 'now',
  });
}

/** A person's word: back to DONE. A "no" then leads to FAILED, for good; with words to the next try, while tries are left. */
export function approvalGiven(
  plan: MovePlan,
  item: Item,
  { approve, reason, say, now }: { approve: boolean; reason: string; say?: string | undefined; now: Date },
): void {
  plan.overrideTask(item, 'DONE');
  if (approve) return;
  if (say === undefined) {
    plan.task(item, 'FAILED');
    plan.patchTask(item, { settled: true });
    return endAttempt(plan, item, { outcome: 'rejected', counted: true, rejections: [reason] });
  }
  // The next try continues from what was refused.
  const { counted } = moveOn(plan, item, { failure: 'rejected', via: 'FAILED', now, random: 0 });
  plan.patchTask(item, { continueFrom: rangeOf(item) });
  endAttempt(plan, item, { outcome: 'rejected', counted, rejections: [`A person refused it: ${say}`] });
}

/** The commits of an attempt; null where it has none. */
function rangeOf({
  attempt: { startCommit, headCommit },
}: Item): { startCommit: string; headCommit: string } | null {
  const isChange = startCommit !== null && headCommit !== null && startCommit !== headCommit;
  return isChange ? { startCommit, headCommit } : null;
}
