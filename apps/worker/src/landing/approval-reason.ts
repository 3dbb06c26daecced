import { weakenedIsHeld, type CheckResult, type Verdict } from '@baton/contracts';
import type { LandingWork, TrustDecision } from '@baton/task-store';
import { isReviewCheck } from '../review/review-checks.ts';
import { dependencyCheckName } from './dependency-check.ts';
import { tamperCheckName, weakenedCheckName } from './tamper-checks.ts';

/** What of finished work decides whether a person is asked. */
export interface WorkToApprove extends Pick<LandingWork, 'approved' | 'approvedPatchId'> {
  run: Pick<LandingWork['run'], 'trust' | 'plan'>;
  task: Pick<LandingWork['task'], 'approval'>;
}

/**
 * Why a person must say yes before this lands, or null: the plan asks for it; the work weakens tests or gates that its task does
 * not own; dependencies are held for one; no reviewer gave a clear answer; under `trust: enforce` any such sign, or an agent whose record does not reach; or a "yes" was about another change
 * than the one that would land now (docs/spec/landing.md#approvals). Pure.
 */
export function approvalReason(
  work: WorkToApprove,
  {
    verdict,
    trust,
    patchId,
  }: {
    verdict: Pick<Verdict, 'results'>;
    trust: Pick<TrustDecision, 'enforced' | 'allowed' | 'text'>;
    patchId: string;
  },
): string | null {
  if (work.approved && work.approvedPatchId === patchId) return null;
  const isEnforced = work.run.trust === 'enforce';
  const isSign = ({ name, passed }: CheckResult): boolean =>
    !passed &&
    ((name === tamperCheckName && (isEnforced || weakenedIsHeld(work.run.plan))) ||
      (name === weakenedCheckName && isEnforced));
  const isOpenDependency = ({ name, passed, required }: CheckResult): boolean =>
    name === dependencyCheckName && !passed && !required;
  const isOpenReview = (result: CheckResult): boolean =>
    isReviewCheck(result) && !result.passed && !result.required;
  const reasons = [
    ...(work.approved ? ['what was approved has changed since, merged onto work that landed later'] : []),
    ...(work.task.approval ? ['the plan asks for approval'] : []),
    ...verdict.results.filter(isSign).map(({ reason }) => reason),
    ...verdict.results.filter(isOpenDependency).map(({ reason }) => reason),
    ...new Set(verdict.results.filter(isOpenReview).map(({ reason }) => reason)),
    ...(trust.enforced && !trust.allowed ? [trust.text] : []),
  ];
  return reasons.length === 0 ? null : reasons.join('; ');
}
