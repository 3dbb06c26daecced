import { expect, it } from 'vitest';
import { lossOf } from './session-facts.ts';

const died = { fact: 'process_died', sessionId: 's', exitCode: null, reason: 'r' } as const;

it.each([
  ['oom', undefined, true],
  ['shutdown_signal', undefined, false],
  ['shutdown_signal', false, false],
  ['shutdown_signal', true, true],
  ['user_interrupt', true, true],
  ['parent_aborted', undefined, false],
] as const)(
  'a process that ended by %s, of itself: %s, uses up a try: %s',
  (abortReason, ofItself, counts) => {
    expect(lossOf({ ...died, abortReason, ...(ofItself === undefined ? {} : { ofItself }) }).counts).toBe(
      counts,
    );
  },
);
