import { expect, test } from 'vitest';
import {
  cognitiveMachine,
  edges,
  executionMachine,
  isActive,
  isTerminal,
  reachableFrom,
  shortestPath,
  taskMachine,
  turnMachine,
} from './index.ts';

test('an edge names the alias of its event', () => {
  expect(edges(turnMachine).filter((edge) => edge.alias !== undefined)).toEqual([
    {
      from: 'COMPACTING',
      event: 'verify_requested',
      to: 'RUNNING',
      dynamic: false,
      alias: 'compact_completed',
    },
  ]);
});

test('dynamic cells expand to every target they may choose', () => {
  const resumed = edges(cognitiveMachine).filter((edge) => edge.event === 'TASK_RESUMED');
  expect(resumed.map((edge) => [edge.to, edge.dynamic])).toEqual([
    ['reasoning', true],
    ['acting', true],
  ]);
  expect(edges(cognitiveMachine).filter((edge) => edge.dynamic)).toHaveLength(11);
});

test('reachableFrom lists what moves lead to, the state itself only where they lead back', () => {
  expect(reachableFrom(taskMachine, 'CLOSED')).toEqual([]);
  expect(reachableFrom(taskMachine, 'PLANNED')).not.toContain('PLANNED');
  expect(reachableFrom(taskMachine, 'OPEN')).toContain('OPEN');
  expect(reachableFrom(taskMachine, 'OPEN')).not.toContain('PENDING_APPROVAL');
  expect(new Set(reachableFrom(executionMachine, 'stopped'))).toEqual(
    new Set(executionMachine.states.filter((state) => state !== 'pending')),
  );
});

test('shortestPath gives the fewest moves, none for the same state, null where there is no way', () => {
  expect(shortestPath(taskMachine, 'PLANNED', 'CLOSED')?.map((edge) => edge.event)).toEqual([
    'approve',
    'claim',
    'complete',
    'verify_pass',
  ]);
  expect(shortestPath(taskMachine, 'OPEN', 'OPEN')).toEqual([]);
  expect(shortestPath(taskMachine, 'CLOSED', 'OPEN')).toBeNull();
});

test('an execution is active while idle, busy or suspended, and terminal when stopped or failed', () => {
  const { states } = executionMachine;
  expect(states.filter((state) => isActive(executionMachine, state))).toEqual(['idle', 'busy', 'suspended']);
  expect(states.filter((state) => isTerminal(executionMachine, state))).toEqual(['stopped', 'failed']);
});

test('a cognitive task is active while reasoning or acting only', () => {
  const { states } = cognitiveMachine;
  expect(states.filter((state) => isActive(cognitiveMachine, state))).toEqual(['reasoning', 'acting']);
});
