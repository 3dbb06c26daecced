import type { Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import { tamperCheckName } from './verify-candidate.ts';

/** Why a person must say yes before this lands, or null (landing.md §1 tamper rules, §3). Pure. */
export function approvalReason(work: LandingWork, verdict: Verdict): string | null {
  if (work.approved) return null;
  const tamper =
    work.run.trust === 'enforce'
      ? verdict.results.find((result) => result.name === tamperCheckName && !result.passed)
      : undefined;
  const reasons = [
    ...(work.task.approval ? ['the plan asks for approval'] : []),
    ...(tamper ? [tamper.reason] : []),
  ];
  return reasons.length === 0 ? null : reasons.join('; ');
}
