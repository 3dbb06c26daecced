import type { AbortReason } from './reasons.ts';

/** How far an abort reaches. Source: docs/spec/kernel.md#abort-chain-binding. */
export type AbortScope = 'TOOL' | 'SIBLING' | 'SESSION';

/** Which levels pass a failure on. Both off by default: each level contains its failure. */
export interface AbortPolicy {
  /** An aborted tool call also shuts down the session's siblings. */
  readonly toolToSibling: boolean;
  /** A sibling abort also tears down the parent session. */
  readonly siblingToSession: boolean;
}

/** The default policy: nothing escalates. */
export const CONTAINED: AbortPolicy = Object.freeze({ toolToSibling: false, siblingToSession: false });

/** One live agent session and the session that started it. */
export interface SessionLink {
  readonly sessionId: string;
  readonly parentSessionId: string | null;
}

/** What failed, where, and why. */
export type AbortRequest = {
  /** Session in which it happened. */
  readonly sessionId: string;
  readonly reason: AbortReason;
} & ({ readonly scope: 'TOOL'; readonly toolCallId: string } | { readonly scope: 'SIBLING' | 'SESSION' });

/** One thing to do. Steps are in order: a parent before its descendants, so that it cannot start new ones. */
export type AbortStep =
  | { readonly action: 'abort_tool'; readonly sessionId: string; readonly toolCallId: string }
  | { readonly action: 'shutdown'; readonly sessionId: string; readonly abortReason: AbortReason };

/** What an abort comes to. */
export interface AbortPlan {
  /** The scope reached, after escalation. */
  readonly scope: AbortScope;
  readonly steps: readonly AbortStep[];
}

/** All descendants of a session, nearest first; a broken list with a cycle ends all the same. */
export function propagateAbort(sessions: readonly SessionLink[], sessionId: string): string[] {
  const seen = new Set([sessionId]);
  for (const parent of seen) {
    for (const link of sessions) if (link.parentSessionId === parent) seen.add(link.sessionId);
  }
  return [...seen].slice(1);
}

function siblingsOf(sessions: readonly SessionLink[], sessionId: string): string[] {
  const parent = parentOf(sessions, sessionId);
  if (parent === null) return [];
  return sessions
    .filter((link) => link.parentSessionId === parent && link.sessionId !== sessionId)
    .map((link) => link.sessionId);
}

function parentOf(sessions: readonly SessionLink[], sessionId: string): string | null {
  return sessions.find((link) => link.sessionId === sessionId)?.parentSessionId ?? null;
}

function tearDown(
  sessions: readonly SessionLink[],
  sessionId: string,
  abortReason: AbortReason,
): AbortStep[] {
  const below = propagateAbort(sessions, sessionId).map((id): AbortStep => ({
    action: 'shutdown',
    sessionId: id,
    abortReason: 'parent_aborted',
  }));
  return [{ action: 'shutdown', sessionId, abortReason }, ...below];
}

function siblingLevel(
  sessions: readonly SessionLink[],
  request: AbortRequest,
  policy: AbortPolicy,
): AbortPlan {
  const parent = parentOf(sessions, request.sessionId);
  if (policy.siblingToSession && parent !== null) {
    return { scope: 'SESSION', steps: tearDown(sessions, parent, 'sibling_aborted') };
  }
  const steps = siblingsOf(sessions, request.sessionId).flatMap((id) =>
    tearDown(sessions, id, 'sibling_aborted'),
  );
  return { scope: 'SIBLING', steps };
}

/**
 * Decides which sessions abort a call or shut down when something is aborted. Pure: acting on it is the caller's.
 *
 * - TOOL: that one call; the session continues.
 * - SIBLING: the other children of the same parent, each with its own descendants; the session itself has already
 *   failed and its parent stays, unless `siblingToSession`. Sessions without a parent have no siblings.
 * - SESSION: the session and all its descendants.
 *
 * @returns the steps and the scope that the policy let it reach. Source: docs/spec/kernel.md#abort-chain-binding
 */
export function planAbort(
  sessions: readonly SessionLink[],
  request: AbortRequest,
  policy: AbortPolicy = CONTAINED,
): AbortPlan {
  switch (request.scope) {
    case 'SESSION':
      return { scope: 'SESSION', steps: tearDown(sessions, request.sessionId, request.reason) };
    case 'SIBLING':
      return siblingLevel(sessions, request, policy);
    case 'TOOL': {
      const { sessionId, toolCallId } = request;
      const call: AbortStep = { action: 'abort_tool', sessionId, toolCallId };
      if (!policy.toolToSibling) return { scope: 'TOOL', steps: [call] };
      const wider = siblingLevel(sessions, request, policy);
      return { scope: wider.scope, steps: [call, ...wider.steps] };
    }
  }
}
