import { expect, test } from 'vitest';
import { ABORT_REASONS, abortReasonOf, EXECUTION_TRIGGERS, TRANSITION_REASONS } from './index.ts';

test('there are 13 transition reasons, 11 abort reasons and 11 execution triggers, each once', () => {
  expect(new Set(TRANSITION_REASONS).size).toBe(13);
  expect(new Set(ABORT_REASONS).size).toBe(11);
  expect(new Set(EXECUTION_TRIGGERS).size).toBe(11);
});

test.each([
  [0, null],
  [124, 'timeout'],
  [126, 'permission_denied'],
  [130, 'user_interrupt'],
  [137, 'oom'],
  [143, 'shutdown_signal'],
  [127, 'unknown'],
  [1, 'unknown'],
  [null, 'unknown'],
] as const)('exit code %s is %s', (exitCode, reason) => {
  expect(abortReasonOf({ exitCode, signal: null })).toBe(reason);
});

test.each([
  ['SIGINT', 'user_interrupt'],
  ['SIGTERM', 'shutdown_signal'],
  ['SIGKILL', 'oom'],
  ['SIGSEGV', 'unknown'],
] as const)('death by %s is %s', (signal, reason) => {
  expect(abortReasonOf({ exitCode: null, signal })).toBe(reason);
});

test('a kill of ours is what we say it is, never oom', () => {
  expect(abortReasonOf({ exitCode: null, signal: 'SIGKILL', endedByUs: 'timeout' })).toBe('timeout');
  expect(abortReasonOf({ exitCode: 137, signal: null, endedByUs: 'shutdown_signal' })).toBe(
    'shutdown_signal',
  );
});
