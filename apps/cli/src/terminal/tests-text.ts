import type { CheckResult } from '@baton/contracts';

/** What the runners of a gate counted, such as ` 12 tests passed, 1 skipped`, with a space before it; empty: they say no count. Pure. */
export function testsText({ tests }: Pick<CheckResult, 'tests'>): string {
  if (tests === undefined) return '';
  const { passed, skipped } = tests;
  return ` ${passed} ${passed === 1 ? 'test' : 'tests'} passed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
