import type { AbortPolicy } from '@baton/fsm-core';
import { expect, it } from 'vitest';
import { abort, abortReasonOf, afterDenial } from './abort-chain.ts';
import type { LiveSession } from '../context/live-session.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Sessions a and b of one run and c of another, and what they were told. */
function world(policy: AbortPolicy, { canStopTools = true } = {}) {
  const told: string[] = [];
  const session = (sessionId: string, runId: string): LiveSession => ({
    ...{ sessionId, runId, policy, stopped: null, onStop: () => undefined },
    stop: (stop, abortReason) => void told.push(`${sessionId} ${stop} ${abortReason}`),
    abortTool(toolCallId) {
      told.push(`${sessionId} tool ${toolCallId}`);
      return canStopTools;
    },
  });
  const all = [session('a', 'r1'), session('b', 'r1'), session('c', 'r2')];
  return { ctx: { sessions: new Map(all.map((one) => [one.sessionId, one])), log }, told };
}

const contained = { toolToSibling: false, siblingToSession: false };
const tool = { scope: 'TOOL', sessionId: 'a', toolCallId: 't', reason: 'bash_error' } as const;

it('stops one call alone, and says whether the agent could', () => {
  const able = world(contained);
  expect(abort(able.ctx, tool)).toEqual({ scope: 'TOOL', toolStopped: true });
  expect(able.told).toEqual(['a tool t']);
  expect(abort(world(contained, { canStopTools: false }).ctx, tool).toolStopped).toBe(false);
});

it.each([
  [{ toolToSibling: true, siblingToSession: false }, ['a tool t', 'b abort sibling_aborted']],
  [
    { toolToSibling: true, siblingToSession: true },
    ['a tool t', 'a abort parent_aborted', 'b abort parent_aborted'],
  ],
])('passes a stopped call on as far as the policy %j says, and never to another run', (policy, expected) => {
  const { ctx, told } = world(policy);
  abort(ctx, tool);
  expect(told).toEqual(expected);
});

it('ends one session at shutdown, and no other for a denied call', () => {
  const { ctx, told } = world(contained);
  abort(ctx, { scope: 'SESSION', sessionId: 'b', reason: 'shutdown_signal' });
  afterDenial(ctx, 'a');
  expect(told).toEqual(['b shutdown shutdown_signal']);
});

it('gives an agent that is stopped the reason, never that memory ran out', () => {
  const stops = ['cancel', 'lease_lost', 'shutdown', 'budget', 'veto', 'abort'] as const;
  expect(stops.map((stop) => abortReasonOf(stop))).toEqual([
    'user_interrupt',
    'parent_aborted',
    'shutdown_signal',
    'shutdown_signal',
    'permission_denied',
    'unknown',
  ]);
});
