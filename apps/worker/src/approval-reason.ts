import type { Verdict } from '@baton/contracts';
import type { LandingWork, TrustDecision } from '@baton/task-store';
import { tamperCheckName } from './verify-candidate.ts';

/**
 * Why a person must say yes before this lands, or null: the plan asks for it, and under `trust: enforce` signs of tampering or an
 * agent whose record does not reach (landing.md §1, §3). Pure.
 */
export function approvalReason(work: LandingWork, verdict: Verdict, trust: TrustDecision): string | null {
  if (work.approved) return null;
  const tamper =
    work.run.trust === 'enforce'
      ? verdict.results.find((result) => result.name === tamperCheckName && !result.passed)
      : undefined;
  const reasons = [
    ...(work.task.approval ? ['the plan asks for approval'] : []),
    ...(tamper ? [tamper.reason] : []),
    ...(trust.enforced && !trust.allowed ? [trust.text] : []),
  ];
  return reasons.length === 0 ? null : reasons.join('; ');
}
