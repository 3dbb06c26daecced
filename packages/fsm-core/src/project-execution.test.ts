import { describe, expect, test } from 'vitest';
import { agentMachine, executionBeside, executionMachine, projectExecution, turnMachine } from './index.ts';

const now = 1_000_000;
const session = { status: 'working', pid: 7, spawnedAt: now - 10_000, lastHeartbeatAt: now - 1_000 } as const;

describe('projectExecution', () => {
  test.each([
    ['pending', null, 'pending idle SPAWNING'],
    ['starting', 'starting', 'pending idle SPAWNING'],
    ['idle', 'idle', 'running idle IDLE'],
    ['busy', 'working', 'running busy RUNNING'],
    ['suspended', 'working', 'running idle RUNNING'],
    ['stopped', 'dead', 'stopped idle DEAD'],
    ['failed', 'dead', 'failed idle DEAD'],
    ['failed', null, 'failed idle DEAD'],
  ] as const)('shows %s beside agent %s as %s', (executionState, status, shown) => {
    const view = projectExecution({ ...session, status, executionState }, now);
    expect(`${view.status} ${view.activity} ${view.visual}`).toBe(shown);
    expect(view.executionState).toBe(executionState);
  });

  test('shows a session without a sign of life for 300 s as stalled, by the thresholds given', () => {
    const silent = { ...session, executionState: 'busy' as const, lastHeartbeatAt: now - 300_000 };
    expect(projectExecution(silent, now).visual).toBe('STALLED');
    expect(projectExecution(silent, now, { stallMs: 300_001, spawnTimeoutMs: 1 }).visual).toBe('RUNNING');
  });
});

test('beside every agent and turn execution may be somewhere, and each of its states beside some', () => {
  const seen = new Set<string>();
  for (const agent of [null, ...agentMachine.states])
    for (const turn of [null, ...turnMachine.states]) {
      const states = executionBeside(agent, turn);
      expect(states.length).toBeGreaterThan(0);
      for (const state of states) seen.add(state);
    }
  expect([...seen].sort()).toEqual([...executionMachine.states].sort());
});
