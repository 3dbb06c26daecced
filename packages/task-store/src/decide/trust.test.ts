import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decideTrust, trustLevel, trustRecord } from './trust.ts';
import { type TrustOutcome, trustLevels } from '../model/trust.ts';

const landed: TrustOutcome = { kind: 'landed', times: 1, what: null };
const rejected: TrustOutcome = { kind: 'rejected', times: 1, what: null };
const violation: TrustOutcome = { kind: 'violation', times: 1, what: 'a test was deleted' };
const times = (n: number, outcome: TrustOutcome) => Array.from({ length: n }, () => outcome);
const subject = { repoId: 'r', agent: 'claude', adapter: 'acp', model: 'sonnet', role: 'backend' };
const own = { risk: 'low', source: { kind: 'plan', trusted: true } } as const;
const ask = (outcomes: TrustOutcome[], given: Partial<Parameters<typeof decideTrust>[0]> = {}) =>
  decideTrust({ subject, outcomes, move: 'land', task: own, ...given });

it.each([
  [0, 'UNTRUSTED'],
  [1, 'PROBATIONARY'],
  [2, 'PROBATIONARY'],
  [3, 'TRUSTED'],
  [9, 'TRUSTED'],
  [10, 'ELEVATED'],
] as const)('after %s clean landings a stranger is %s', (n, level) => {
  expect(trustLevel(times(n, landed), { start: 'UNTRUSTED' })).toBe(level);
});

it('starts at TRUSTED in an operator’s own plan, and a violation costs one level each', () => {
  const levels = [0, 1, 2, 3].map((n) => trustLevel(times(n, violation), { start: 'TRUSTED' }));
  expect(levels).toEqual(['TRUSTED', 'PROBATIONARY', 'UNTRUSTED', 'UNTRUSTED']);
});

it('has to be earned again after a violation', () => {
  const fallen = [...times(10, landed), violation];
  expect(trustLevel(fallen, { start: 'UNTRUSTED' })).toBe('TRUSTED');
  expect(trustLevel([...fallen, ...times(6, landed)], { start: 'UNTRUSTED' })).toBe('TRUSTED');
  expect(trustLevel([...fallen, ...times(7, landed)], { start: 'UNTRUSTED' })).toBe('ELEVATED');
});

it('counts outcomes in a row as it counts them one by one', () => {
  const kinds = fc.constantFrom('landed' as const, 'rejected' as const, 'violation' as const);
  const rows = fc.array(
    fc.record({ kind: kinds, times: fc.integer({ min: 1, max: 12 }), what: fc.constant(null) }),
  );
  fc.assert(
    fc.property(rows, fc.constantFrom('UNTRUSTED' as const, 'TRUSTED' as const), (list, start) => {
      const single = list.flatMap((row) => times(row.times, { ...row, times: 1 }));
      expect(trustLevel(list, { start })).toBe(trustLevel(single, { start }));
      expect(trustRecord(list)).toEqual(trustRecord(single));
    }),
  );
});

it('takes no notice of ordinary rejections', () => {
  expect(trustLevel([landed, rejected, rejected, landed, landed], { start: 'UNTRUSTED' })).toBe('TRUSTED');
});

it('lets a trusted agent land, and names the evidence when it does not', () => {
  expect(ask([]).allowed).toBe(true);
  const refused = ask([landed, violation]);
  expect(refused).toMatchObject({ allowed: false, level: 'PROBATIONARY', needed: 'TRUSTED' });
  expect(refused.text).toContain('claude sonnet as backend: 1 landed clean, 0 rejected, 1 violations');
  expect(refused.text).toContain('a test was deleted');
});

it('asks more for high risk, and never goes above what the plan allows', () => {
  const risky = { ...own, risk: 'high' } as const;
  expect(ask(times(6, landed), { task: risky }).allowed).toBe(false);
  expect(ask(times(7, landed), { task: risky }).allowed).toBe(true);
  const outside = { risk: 'low', source: { kind: 'trigger', trusted: false } } as const;
  expect(ask(times(50, landed), { task: outside })).toMatchObject({ allowed: false, level: 'PROBATIONARY' });
  expect(ask(times(50, landed), { task: outside, move: 'decompose' }).allowed).toBe(true);
});

it('never falls by a clean landing and never rises by a violation', () => {
  const outcomes = fc.array(fc.constantFrom(landed, rejected, violation), { maxLength: 40 });
  const start = fc.constantFrom('UNTRUSTED' as const, 'TRUSTED' as const);
  const rank = (list: TrustOutcome[], from: 'UNTRUSTED' | 'TRUSTED') =>
    trustLevels.indexOf(trustLevel(list, { start: from }));
  fc.assert(
    fc.property(outcomes, start, (list, from) => {
      expect(rank([...list, landed], from)).toBeGreaterThanOrEqual(rank(list, from));
      expect(rank([...list, violation], from)).toBeLessThanOrEqual(rank(list, from));
      expect(rank([...list, rejected], from)).toBe(rank(list, from));
      const { landed: good, rejected: bad, violations } = trustRecord(list);
      expect(good + bad + violations).toBe(list.length);
    }),
  );
});
