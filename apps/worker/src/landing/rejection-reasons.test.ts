import type { CheckResult, Verdict } from '@baton/contracts';
import { expect, it } from 'vitest';
import { rejectionReasons } from './rejection-reasons.ts';

function verdictOf(results: Partial<CheckResult>[]): Verdict {
  const full = results.map((result) => ({
    name: 'tests',
    kind: 'gate' as const,
    required: true,
    passed: false,
    reason: 'it ended with exit code 1.',
    durationMs: 1,
    cached: false,
    ...result,
  }));
  return {
    tree: 't',
    passed: false,
    checks: 'gates',
    results: full,
    reasons: full.filter((result) => !result.passed).map((result) => `gate ${result.name}: ${result.reason}`),
    durationMs: 1,
  };
}

it('includes what a red gate printed, so that the next attempt knows what to mend', () => {
  expect(rejectionReasons(verdictOf([{ output: 'not ok 3 adds\nexpected 4, got 5\n' }]))).toEqual([
    'gate tests: it ended with exit code 1.\nnot ok 3 adds\nexpected 4, got 5',
  ]);
});

it('keeps the end of a long output and says that it was cut', () => {
  const [reason = ''] = rejectionReasons(
    verdictOf([{ output: Array.from({ length: 90 }, (_, n) => `line ${n}`).join('\n') }]),
  );
  expect(reason).toContain('[…]\nline 70');
  expect(reason.endsWith('line 89')).toBe(true);
});

it('adds nothing to a reason without output', () => {
  expect(rejectionReasons(verdictOf([{}]))).toEqual(['gate tests: it ended with exit code 1.']);
});
