import type { CheckResult, Verdict } from '@baton/contracts';
import type { LandingWork, TrustDecision } from '@baton/task-store';
import { expect, test } from 'vitest';

import { approvalReason } from './approval-reason.ts';

const check = (name: string): CheckResult => ({
  name,
  kind: 'builtin',
  required: false,
  passed: false,
  reason: `${name} sign`,
  durationMs: 0,
  cached: false,
});
const verdict = (...names: string[]) => ({ results: names.map(check) }) as unknown as Verdict;
const trusted = { enforced: false, allowed: true } as TrustDecision;
const work = (given: { trust?: string; weakened?: string; approvedPatchId?: string | null }) =>
  ({
    run: {
      trust: given.trust ?? 'observe',
      plan: given.weakened === undefined ? null : { weakened: given.weakened },
    },
    task: { approval: false },
    approved: typeof given.approvedPatchId === 'string',
    approvedPatchId: given.approvedPatchId ?? null,
  }) as unknown as LandingWork;
const ask = (given: Parameters<typeof work>[0], ...names: string[]) =>
  approvalReason(work(given), { verdict: verdict(...names), trust: trusted, patchId: 'p' });

test('a change outside of the task is held unless the plan only reports it; inside, only where trust is enforced', () => {
  expect(ask({}, 'tamper')).toBe('tamper sign');
  expect(ask({ weakened: 'hold' }, 'tamper')).toBe('tamper sign');
  expect(ask({ weakened: 'tell' }, 'tamper')).toBeNull();
  expect(ask({}, 'weakened')).toBeNull();
  expect(ask({ trust: 'enforce', weakened: 'tell' }, 'tamper', 'weakened')).toBe(
    'tamper sign; weakened sign',
  );
  expect(ask({})).toBeNull();
});

test('a "yes" is worth one change: another one asks again and says so', () => {
  expect(ask({ approvedPatchId: 'p' }, 'tamper')).toBeNull();
  expect(ask({ approvedPatchId: 'other' })).toMatch(/^what was approved has changed since/);
});

test('what no reviewer gave a clear answer to is held, each reason once', () => {
  const open = (name: string, kind: CheckResult['kind']): CheckResult => ({
    ...check(name),
    kind,
    reason: 'no reviewer has read it',
  });
  const results = [open('review', 'builtin'), open('llm_review x', 'signal'), open('review', 'gate')];
  const options = { trust: trusted, patchId: 'p' };
  expect(approvalReason(work({}), { verdict: { results }, ...options })).toBe('no reviewer has read it');
  const refused = { results: [{ ...open('review', 'builtin'), required: true }] };
  expect(approvalReason(work({}), { verdict: refused, ...options })).toBeNull();
});
