import type { Claim, Store } from '@baton/task-store';
import { expect, it } from 'vitest';
import { timeLimits } from './time-limits.ts';

const minute = 60_000;
type Limited = Parameters<typeof timeLimits>[1];

it('gives each task of a batch the time of its own role and scope, asking the store once for those alike', async () => {
  const asked: string[] = [];
  const pastDurations: Store['trust']['pastDurations'] = ({ role, scope }) => {
    asked.push(`${role} ${scope}`);
    const durationMs = role === 'docs' ? 12 * minute : 4 * minute;
    return Promise.resolve(Array.from({ length: 8 }, () => ({ durationMs, agent: 'a', model: null })));
  };
  const tasks = [
    ['one', 'qa', 'small', null],
    ['two', 'docs', 'small', null],
    ['three', 'qa', 'small', null],
    ['four', 'qa', 'medium', null],
    ['five', 'qa', 'small', 2 * minute],
  ] as const;
  const claim = {
    repo: { id: 'r' },
    tasks: tasks.map(([id, role, scope, timeoutMs]) => ({ task: { id, role, scope, timeoutMs } })),
  } as unknown as Claim;
  const route = { agentName: 'a', model: null } as Limited['route'];
  const limits = await timeLimits(
    { recent: { durations: pastDurations, agents: () => Promise.resolve([]) } },
    { claim, route },
  );
  expect([...limits].map(([id, { timeoutMs, basis }]) => [id, timeoutMs / minute, basis])).toEqual([
    ['one', 6, 'agent'],
    ['two', 18, 'agent'],
    ['three', 6, 'agent'],
    ['four', 10, 'agent'],
    ['five', 2, 'task'],
  ]);
  expect(asked).toEqual(['qa small', 'docs small', 'qa medium']);
});
