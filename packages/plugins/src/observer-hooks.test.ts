import { machines } from '@baton/fsm-core';
import { expect, test } from 'vitest';
import { hooksOf, isObserverHook } from './observer-hooks.ts';
import { recordedMove } from './testing.ts';

test('a task fires the hook of the state it reached', () => {
  expect(hooksOf(recordedMove())).toEqual(['task:claimed', 'task:any', 'event:any']);
  const waiting = recordedMove({ to: 'WAITING_FOR_SUBTASKS', event: 'decompose' });
  expect(hooksOf(waiting)).toContain('task:waitingForSubtasks');
});

test('a turn fires the hook of its event, by the name that says what it means', () => {
  const tool = recordedMove({ machine: 'turn', from: 'RUNNING', to: 'TOOL_USE', event: 'tool_started' });
  expect(hooksOf(tool)).toEqual(['turn:toolStarted', 'turn:any', 'event:any']);
  const compacted = recordedMove({ machine: 'turn', event: 'verify_requested', alias: 'compact_completed' });
  expect(hooksOf(compacted)).toContain('turn:compactCompleted');
});

test('a creation fires its own hook and that of the first state', () => {
  const created = recordedMove({ kind: 'created', from: null, to: 'OPEN', event: 'create' });
  expect(hooksOf(created)).toEqual(['task:created', 'task:open', 'task:any', 'event:any']);
});

test.each([
  ['refused', 'task:refused'],
  ['late_report', 'task:lateReport'],
] as const)('a %s fires no hook of a state', (kind, hook) => {
  expect(hooksOf(recordedMove({ kind, to: 'CLOSED' }))).toEqual([hook, 'task:any', 'event:any']);
});

test('a run that is given another budget has begun nothing and ended nothing', () => {
  const move = { machine: 'run', from: 'done', to: 'done', event: 'budget' } as const;
  expect(hooksOf(recordedMove(move))).toEqual(['run:budget', 'run:any', 'event:any']);
  expect(hooksOf(recordedMove({ ...move, from: 'running', event: 'settle' }))).toContain('run:done');
});

test('what an agent streams has hooks of its own', () => {
  const event = { type: 'tool_started', toolId: '1', title: 'Edit', kind: 'edit' } as const;
  const at = new Date(0);
  const item = {
    position: 1,
    machine: 'stream',
    entityId: 's1',
    runId: null,
    taskId: null,
    attemptId: null,
    event,
    at,
  } as const;
  expect(hooksOf(item)).toEqual(['stream:toolStarted', 'stream:any', 'event:any']);
});

test('every move of every machine has a well-formed hook', () => {
  let checked = 0;
  for (const machine of Object.values(machines)) {
    for (const rule of machine.rules) {
      const to = typeof rule.to === 'string' ? rule.to : 'acting';
      for (const hook of hooksOf(recordedMove({ machine: machine.id, to, event: rule.on }))) {
        expect(isObserverHook(hook), hook).toBe(true);
        checked += 1;
      }
    }
  }
  expect(checked).toBeGreaterThan(200);
});

test.each(['task', 'task:', 'task:Closed', 'goal:closed', 'task:closed:x', ''])('%j is no hook', (hook) => {
  expect(isObserverHook(hook)).toBe(false);
});
