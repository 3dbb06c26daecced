import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chooseTimeout, type PastDuration } from './choose-timeout.ts';
import { lifetimeMs, scopeTimeoutMs } from './timeout.ts';

const minute = 60_000;
const past = (n: number, durationMs: number, given: Partial<PastDuration> = {}): PastDuration[] =>
  Array.from({ length: n }, () => ({ durationMs, agent: 'claude', model: 'sonnet', ...given }));
const choose = (history: PastDuration[], task: { timeoutMs?: number } = {}) =>
  chooseTimeout({
    task: { role: 'qa', scope: 'small', timeoutMs: null, ...task },
    route: { agentName: 'claude', model: 'sonnet' },
    history,
  });

it('takes the default of the scope while too little is known, and says so', () => {
  expect(choose(past(7, minute))).toMatchObject({ timeoutMs: 15 * minute, samples: 0, basis: 'scope' });
  expect(choose(past(7, minute)).reason).toContain('7 of 8 landed tries');
});

it('is lowered by a fast history and raised by a slow one, within the bounds of the scope', () => {
  expect(choose(past(8, 6 * minute)).timeoutMs).toBe(9 * minute);
  expect(choose(past(8, 14 * minute)).timeoutMs).toBe(21 * minute);
  expect(choose(past(8, 1000)).timeoutMs).toBe(5 * minute);
  expect(choose(past(8, 200 * minute)).timeoutMs).toBe(30 * minute);
});

it('prefers what the same agent and model took, then what any agent took', () => {
  const others = past(20, 14 * minute, { agent: 'codex', model: null });
  expect(choose([...others, ...past(8, 6 * minute)])).toMatchObject({
    timeoutMs: 9 * minute,
    basis: 'agent',
  });
  expect(choose([...others, ...past(3, 6 * minute)])).toMatchObject({ basis: 'role', samples: 23 });
});

it('leaves a limit that the plan names, up to the lifetime of the scope', () => {
  expect(choose(past(9, minute), { timeoutMs: 2 * minute })).toMatchObject({
    timeoutMs: 2 * minute,
    basis: 'task',
  });
  expect(choose([], { timeoutMs: 45 * minute })).toMatchObject({ timeoutMs: 30 * minute, basis: 'task' });
  expect(choose([], { timeoutMs: 45 * minute }).reason).toContain('cut to the lifetime of 30 min');
});

it('never leaves the bounds of the scope, whatever the history', () => {
  const history = fc.array(
    fc.record({ durationMs: fc.nat(10 ** 9), agent: fc.constant('claude'), model: fc.constant('sonnet') }),
  );
  fc.assert(
    fc.property(history, fc.constantFrom('small', 'medium', 'large', 'xl'), (list, scope) => {
      const { timeoutMs, reason } = chooseTimeout({
        task: { role: 'qa', scope, timeoutMs: null },
        route: { agentName: 'claude', model: 'sonnet' },
        history: list,
      });
      expect(timeoutMs).toBeLessThanOrEqual(lifetimeMs(scope));
      expect(timeoutMs).toBeGreaterThanOrEqual(Math.round(scopeTimeoutMs(scope) / 3));
      expect(reason).not.toBe('');
    }),
  );
});
