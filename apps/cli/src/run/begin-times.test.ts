import type { Attempt } from '@baton/task-store';
import { expect, test } from 'vitest';

import { workedMs } from './begin-times.ts';

const at = (second: number): Date => new Date(second * 1_000);
const attempt = (id: string, createdAt: number, endedAt: number | null): Attempt =>
  ({
    id,
    sessionId: `agent-${id}`,
    createdAt: at(createdAt),
    endedAt: endedAt === null ? null : at(endedAt),
  }) as Attempt;

test('the time of a task is that of its agents: what waits for a person, or for its turn, does not count', () => {
  const sessions = [
    { id: 'agent-waits', endedAt: at(12) },
    { id: 'agent-landed', endedAt: at(25) },
    { id: 'agent-works', endedAt: null },
  ];
  const worked = (...attempts: Attempt[]) =>
    workedMs(attempts, { begun: new Map([['landed', at(22)]]), sessions });
  expect(worked(attempt('waits', 10, null))).toBe(2_000);
  expect(worked(attempt('landed', 20, 500))).toBe(3_000);
  expect(worked(attempt('works', 30, null))).toBe(0);
  expect(worked(attempt('told', 40, 41))).toBe(1_000);
  expect(worked(attempt('waits', 10, null), attempt('landed', 20, 500), attempt('told', 40, 41))).toBe(6_000);
});
