import type { AbortReason, TransitionReason } from '@baton/fsm-core';
import type { APICallError } from 'ai';

/** Why a model gave no answer, by status and error code alone. */
export interface ModelFailure {
  outcome: 'failed' | 'rate_limited' | 'provider_down' | 'not_logged_in';
  abortReason: AbortReason | null;
  transitionReason?: TransitionReason;
  summary: string;
  /** ISO 8601; null when the provider named no time. */
  resetAt: string | null;
}

const tooLong = ['context_length_exceeded', 'string_above_max_length', 'request_too_large'];

const latest = Date.UTC(9999, 11, 31);

const ofStatus = new Map<number, TransitionReason>([
  [413, 'provider_413'],
  [529, 'provider_529'],
]);

/** Classifies an error of the SDK. Source: docs/spec/kernel.md#transition-reasons-binding. */
export async function modelFailure(error: unknown, now: Date): Promise<ModelFailure> {
  const call = await apiError(error);
  const summary = error instanceof Error ? error.message : String(error);
  const failure = { abortReason: 'provider_error' as const, summary, resetAt: null };
  const status = call?.statusCode ?? 0;
  if (status === 401 || status === 403)
    return { ...failure, outcome: 'not_logged_in', abortReason: null, summary: `No valid key: ${summary}` };
  if (call !== null && status === 429)
    return { ...failure, outcome: 'rate_limited', abortReason: null, resetAt: resetOf(call, now) };
  const why = ofStatus.get(status) ?? (isTooLong(call) ? 'prompt_too_long' : undefined);
  const outcome = isDown(call) ? 'provider_down' : 'failed';
  return { ...failure, outcome, ...(why === undefined ? {} : { transitionReason: why }) };
}

/** It answers 5xx, or not at all: the SDK then has an error of a call without a status, which may be tried again. */
function isDown(call: APICallError | null): boolean {
  if (call === null) return false;
  return call.statusCode === undefined ? call.isRetryable : call.statusCode >= 500;
}

/** The provider's own error inside the SDK's report that all tries failed. */
async function apiError(error: unknown): Promise<APICallError | null> {
  const { APICallError } = await import('ai');
  if (APICallError.isInstance(error)) return error;
  const last = (error as { lastError?: unknown } | null)?.lastError;
  return APICallError.isInstance(last) ? last : null;
}

function isTooLong(call: APICallError | null): boolean {
  const { error } = (call?.data ?? {}) as { error?: { code?: unknown; type?: unknown } };
  return tooLong.includes(String(error?.code)) || tooLong.includes(String(error?.type));
}

function resetOf({ responseHeaders }: APICallError, now: Date): string | null {
  const after = responseHeaders?.['retry-after'];
  if (after === undefined) return null;
  const seconds = Number(after);
  const at = Number.isNaN(seconds) ? Date.parse(after) : now.getTime() + seconds * 1000;
  // What is no number, or lies beyond what dates can hold, names no time.
  return Math.abs(at) < latest ? new Date(at).toISOString() : null;
}
