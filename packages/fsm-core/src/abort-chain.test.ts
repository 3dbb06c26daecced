import { describe, expect, test } from 'vitest';
import { planAbort, propagateAbort, type AbortPolicy, type AbortRequest, type SessionLink } from './index.ts';

/** root ─ a ─ a1 ─ a11, root ─ b ─ b1, root ─ c; lone has no parent. */
const sessions: SessionLink[] = [
  { sessionId: 'root', parentSessionId: null },
  { sessionId: 'a', parentSessionId: 'root' },
  { sessionId: 'b', parentSessionId: 'root' },
  { sessionId: 'c', parentSessionId: 'root' },
  { sessionId: 'a1', parentSessionId: 'a' },
  { sessionId: 'a11', parentSessionId: 'a1' },
  { sessionId: 'b1', parentSessionId: 'b' },
  { sessionId: 'lone', parentSessionId: null },
];

const plan = (request: AbortRequest, policy?: AbortPolicy) => {
  const { scope, steps } = planAbort(sessions, request, policy);
  const told = steps.map((step) =>
    step.action === 'shutdown'
      ? `${step.sessionId} ${step.abortReason}`
      : `${step.sessionId} tool ${step.toolCallId}`,
  );
  return { scope, told };
};

const tool = { scope: 'TOOL', sessionId: 'a', toolCallId: 'call1', reason: 'bash_error' } as const;
const sibling = { scope: 'SIBLING', sessionId: 'a', reason: 'provider_error' } as const;

describe('an abort, contained by default', () => {
  test('of a tool ends that one call', () => {
    expect(plan(tool)).toEqual({ scope: 'TOOL', told: ['a tool call1'] });
  });

  test('of siblings shuts down the other children of the parent with their own, not the session nor the parent', () => {
    expect(plan(sibling)).toEqual({
      scope: 'SIBLING',
      told: ['b sibling_aborted', 'b1 parent_aborted', 'c sibling_aborted'],
    });
  });

  test('of siblings reaches no session where there is no parent', () => {
    expect(plan({ ...sibling, sessionId: 'lone' })).toEqual({ scope: 'SIBLING', told: [] });
    expect(plan({ ...sibling, sessionId: 'root' })).toEqual({ scope: 'SIBLING', told: [] });
  });

  test('of a session tears down it and all its descendants, parents first, and no ancestor', () => {
    expect(plan({ scope: 'SESSION', sessionId: 'a', reason: 'user_interrupt' })).toEqual({
      scope: 'SESSION',
      told: ['a user_interrupt', 'a1 parent_aborted', 'a11 parent_aborted'],
    });
  });
});

describe('an abort under a policy', () => {
  test('escalates from tool to siblings only if asked', () => {
    const policy = { toolToSibling: true, siblingToSession: false };
    expect(plan(tool, policy)).toEqual({
      scope: 'SIBLING',
      told: ['a tool call1', 'b sibling_aborted', 'b1 parent_aborted', 'c sibling_aborted'],
    });
  });

  test('escalates from siblings to the parent’s whole session only if asked', () => {
    const policy = { toolToSibling: false, siblingToSession: true };
    const { scope, told } = plan(sibling, policy);
    expect(scope).toBe('SESSION');
    expect(told[0]).toBe('root sibling_aborted');
    expect(new Set(told.slice(1))).toEqual(
      new Set(['a', 'b', 'c', 'a1', 'a11', 'b1'].map((id) => `${id} parent_aborted`)),
    );
    expect(plan(tool, policy)).toEqual({ scope: 'TOOL', told: ['a tool call1'] });
    expect(plan({ ...sibling, sessionId: 'lone' }, policy)).toEqual({ scope: 'SIBLING', told: [] });
  });

  test('escalates through both levels', () => {
    const { scope, told } = plan(tool, { toolToSibling: true, siblingToSession: true });
    expect(scope).toBe('SESSION');
    expect(told.slice(0, 2)).toEqual(['a tool call1', 'root sibling_aborted']);
    expect(told).toHaveLength(8);
  });
});

test('a cycle in the links ends all the same', () => {
  const cycle = [
    { sessionId: 'x', parentSessionId: 'y' },
    { sessionId: 'y', parentSessionId: 'x' },
  ];
  expect(propagateAbort(cycle, 'x')).toEqual(['y']);
});
