import type { CheckResult } from '@baton/contracts';
import { expect, test } from 'vitest';
import { noColors } from '../terminal/colors.ts';
import { testsText } from '../terminal/tests-text.ts';
import { proofText } from './prove.ts';

const gate = (name: string, tests?: CheckResult['tests']): CheckResult => ({
  ...{ name, kind: 'gate', required: true, passed: true, reason: 'fine', durationMs: 1, cached: false },
  ...(tests === undefined ? {} : { tests }),
});
const proof = (...results: CheckResult[]) => ({
  ...{ passed: true, results, lacks: [], remedy: null, commit: '0123456789abcdef', setUpFailed: null },
});

test('a green gate that ran no test is named, one that says nothing of tests is not', () => {
  const none = gate('tests', { passed: 0, skipped: 2 });
  expect(proofText(proof(gate('lint'), none), noColors)).toEqual([
    '✔ the gates are green on 012345678.',
    '! tests is green and ran no test, so it proves nothing about the work of agents.',
  ]);
  expect(proofText(proof(gate('tests', { passed: 1, skipped: 0 })), noColors)).toHaveLength(1);
});

test('tests are counted in words', () => {
  expect(testsText(gate('lint'))).toBe('');
  expect(testsText(gate('tests', { passed: 1, skipped: 0 }))).toBe(' 1 test passed');
  expect(testsText(gate('tests', { passed: 12, skipped: 1 }))).toBe(' 12 tests passed, 1 skipped');
});
