import { expect, test } from 'vitest';
import {
  executionMachine,
  parseExecutionState,
  printExecutionState,
  toActivityState,
  toAgentStatus,
  UnknownExecutionStateError,
} from './index.ts';

test('maps every state to the status and activity that older interfaces know', () => {
  const mapped = executionMachine.states.map(
    (state) => `${state} ${toAgentStatus(state)} ${toActivityState(state)}`,
  );
  expect(mapped).toEqual([
    'pending pending idle',
    'starting pending idle',
    'idle running idle',
    'busy running busy',
    'suspended running idle',
    'stopped stopped idle',
    'failed failed idle',
  ]);
});

test('prints and parses every state as the same snake_case text', () => {
  for (const state of executionMachine.states) {
    expect(printExecutionState(state)).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(parseExecutionState(printExecutionState(state))).toBe(state);
  }
});

test.each(['Busy', 'running', '', 'constructor'])('refuses %j by name', (text) => {
  expect(() => parseExecutionState(text)).toThrow(UnknownExecutionStateError);
  expect(() => parseExecutionState(text)).toThrow(new RegExp(`^Unknown execution state: ${text}$`));
});
