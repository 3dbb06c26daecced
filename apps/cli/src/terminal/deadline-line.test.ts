import type { AgentSession, Attempt } from '@baton/task-store';
import { expect, test } from 'vitest';

import { deadlineLine } from './deadline-line.ts';

const attempt = (route: unknown, endedAt: Date | null = null) => ({ route, endedAt }) as Attempt;
const session = { endedAt: null, deadlineAt: new Date(Date.UTC(2026, 0, 1, 12, 30)) } as AgentSession;
const route = { timeouts: { a: { timeoutMs: 900_000, basis: 'scope', samples: 0, reason: 'the default' } } };

test('says how long, until when and why, while the agent is at work', () => {
  expect(deadlineLine({ key: 'a' }, { attempt: attempt(route), session })).toBe(
    'deadline 15m (until 12:30:00 UTC): the default',
  );
});

test('leaves out the time of day when the attempt has ended', () => {
  expect(deadlineLine({ key: 'a' }, { attempt: attempt(route, new Date()), session })).toBe(
    'deadline 15m: the default',
  );
});

test('says nothing of attempts that name no limit', () => {
  expect(deadlineLine({ key: 'b' }, { attempt: attempt(route), session })).toBeNull();
  expect(deadlineLine({ key: 'a' }, { attempt: attempt(null), session: undefined })).toBeNull();
});
