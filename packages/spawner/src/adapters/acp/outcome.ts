import { z } from 'zod';
import { BatonError, errorText } from '@baton/contracts';
import type { Finished } from '../../agent/adapter.ts';
import { failureIn, type PromptResult, type SessionFailure } from './messages.ts';
import type { TurnFacts } from './turn.ts';

type Outcome = Pick<Finished, 'outcome' | 'abortReason' | 'summary' | 'resetAt' | 'transitionReason'>;

/** Stop reasons of the protocol that the kernel has a word for. */
const stopReasons = new Map<string, NonNullable<Finished['transitionReason']>>([
  ['max_tokens', 'max_output_tokens'],
  ['max_turn_requests', 'max_turns'],
]);

/** Error codes that agents pass on from their provider's HTTP. */
const providerCodes = new Map<number, NonNullable<Finished['transitionReason']>>([
  [413, 'provider_413'],
  [529, 'provider_529'],
]);

const rpcError = z.looseObject({
  code: z.number(),
  message: z.string().catch(''),
  data: z
    .looseObject({
      errorKind: z.string().optional().catch(undefined),
      errorName: z.string().optional().catch(undefined),
      codexErrorInfo: z.unknown().optional(),
      message: z.string().optional().catch(undefined),
      details: z.string().optional().catch(undefined),
    })
    .nullish()
    .catch(null),
});

/**
 * What the answer to a prompt says, by its structure alone: `end_turn` is success only when the model said or did
 * something and no failure came with it. Source: docs/spec/agents.md#classification-of-ends.
 */
export function classifyResult(result: PromptResult, { seen, now }: { seen: TurnFacts; now: Date }): Outcome {
  const failure = failureIn(result._meta) ?? seen.failure;
  if (failure?.severity === 'error') return classifyFailure(failure, now);
  if (seen.systemError) return providerDown(seen.summary || 'The model provider failed.');
  if (result.stopReason === 'cancelled')
    return {
      outcome: 'cancelled',
      abortReason: 'user_interrupt',
      summary: seen.summary || 'The agent was cancelled.',
      resetAt: null,
    };
  if (result.stopReason !== 'end_turn') {
    const why = stopReasons.get(result.stopReason);
    return {
      outcome: 'failed',
      abortReason: null,
      summary: `The agent stopped: ${result.stopReason || 'without a reason'}. ${seen.summary}`.trim(),
      resetAt: null,
      ...(why === undefined ? {} : { transitionReason: why }),
    };
  }
  if (!seen.spoke) return providerError('The agent ended its turn without a word and without a tool call.');
  return { outcome: 'done', abortReason: null, summary: seen.summary.trim(), resetAt: null };
}

function classifyFailure({ category, title }: SessionFailure, now: Date): Outcome {
  if (category === 'limit')
    return {
      outcome: 'rate_limited',
      abortReason: null,
      summary: title,
      resetAt: parseResetTime(title, now),
    };
  if (category === 'access') return notLoggedIn(title);
  const said = title || 'The model provider failed.';
  return category === 'service' || category === 'connection' ? providerDown(said) : providerError(said);
}

/** What an error answer says. Codes of HTTP come from agents that pass on their provider's. */
export function classifyRpcError(error: unknown, now: Date): Outcome {
  const parsed = rpcError.safeParse(error);
  if (!parsed.success) return providerError(inText(error));
  const { code, message, data } = parsed.data;
  const said = inWords(data?.message ?? data?.details ?? message);
  const kind = data?.errorKind ?? '';
  if (code === -32000 || code === 401 || code === 403 || accessKinds.has(kind)) return notLoggedIn(said);
  if (kind === 'model_not_found')
    return { outcome: 'model_unknown', abortReason: null, summary: said, resetAt: null };
  if (code === 429 || kind === 'rate_limit' || data?.codexErrorInfo === 'usageLimitExceeded')
    return { outcome: 'rate_limited', abortReason: null, summary: said, resetAt: parseResetTime(said, now) };
  const why = providerCodes.get(code);
  if (data?.errorName === openCodeFailure) return byWords(said, now);
  const isDown = (code >= 500 && code < 600) || downKinds.has(kind);
  const failure = isDown ? providerDown(said) : providerError(said);
  return { ...failure, ...(why === undefined ? {} : { transitionReason: why }) };
}

/** Whether the agent itself said it, by an error or by what cannot be read: its process may end right after it. */
export function isSaid(error: unknown): boolean {
  return rpcError.safeParse(error).success || BatonError.is(error, 'AGENT_PROTOCOL');
}

function inText(error: unknown): string {
  if (BatonError.is(error)) return errorText({ message: error.message, fix: error.fix });
  return error instanceof Error ? error.message : String(error);
}

const deepestAnswer = 4;

/** The message in an answer of a provider that an agent passes on as JSON, maybe as JSON in JSON; any other text stays. */
export function inWords(said: string, depth = 0): string {
  const start = said.indexOf('{');
  if (start === -1 || depth === deepestAnswer) return said;
  const parsed = providerAnswer.safeParse(jsonIn(said.slice(start, said.lastIndexOf('}') + 1)));
  const message = parsed.data?.error?.message ?? parsed.data?.message;
  return message === undefined ? said : `${said.slice(0, start)}${inWords(message, depth + 1)}`.trim();
}

const providerAnswer = z.looseObject({
  error: z.looseObject({ message: z.string() }).optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** `data.errorKind` of claude-agent-acp: the account may not ask this. */
const accessKinds: ReadonlySet<string> = new Set([
  'authentication_failed',
  'oauth_org_not_allowed',
  'billing_error',
]);
/** `data.errorKind` of claude-agent-acp: the provider fails. */
const downKinds: ReadonlySet<string> = new Set(['server_error', 'overloaded']);
/** `data.errorName` of OpenCode for whatever its provider answered but success, without the status: only its words are left. */
const openCodeFailure = 'APIError';
const saysLimit = /rate.?limit|too many requests|quota|usage limit|resource.{0,10}exhausted|\b429\b/i;
const saysAccess =
  /api.?key|unauthori[sz]ed|authenticat|credential|forbidden|permission|not logged in|\b40[13]\b/i;
const saysDown =
  /overloaded|unavailable|server error|internal error|gateway|timed? ?out|connect|network|socket|try again|\b5\d\d\b/i;

/** A text that matches none of these is a fault of the request itself: it counts as a try, so that retries end. */
function byWords(message: string, now: Date): Outcome {
  const said = message.replace(/^Internal error: /, ''); // OpenCode's own, before whatever the provider said
  if (saysLimit.test(said))
    return { outcome: 'rate_limited', abortReason: null, summary: said, resetAt: parseResetTime(said, now) };
  if (saysAccess.test(said)) return notLoggedIn(said);
  return saysDown.test(said) ? providerDown(said) : providerError(said);
}

function notLoggedIn(said: string): Outcome {
  return {
    outcome: 'not_logged_in',
    abortReason: null,
    summary: `The agent is not logged in: ${said || 'no key'}`,
    resetAt: null,
  };
}

function providerError(said: string): Outcome {
  return { outcome: 'failed', abortReason: 'provider_error', summary: said, resetAt: null };
}

function providerDown(said: string): Outcome {
  return { ...providerError(said), outcome: 'provider_down' };
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * The time in "resets Jan 1, 2030, 12am (UTC)", "resets 3pm (UTC)" or "try again at Jan 1st, 2030 12:00 AM", ISO 8601.
 * Only asked when the structure has already said that a limit was reached.
 */
export function parseResetTime(text: string, now: Date): string | null {
  const dated =
    /(?:resets|again at)\s+([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4}),?\s+(\d{1,2})(?::(\d{2}))?\s*([ap]m)(\s*\(UTC\))?/i.exec(
      text,
    );
  if (dated !== null) {
    const [, name = '', day, year, hour, minute, half, zone] = dated;
    const parts = [
      Number(year),
      months.indexOf(name.toLowerCase()),
      Number(day),
      hours(hour, half),
      Number(minute ?? 0),
    ] as const;
    if (parts[1] < 0) return null;
    return (zone === undefined ? new Date(...parts) : new Date(Date.UTC(...parts))).toISOString();
  }
  const [, hour, minute, half] =
    /resets\s+(?:at\s+)?(\d{1,2})(?::(\d{2}))?\s*([ap]m)\s*\(UTC\)/i.exec(text) ?? [];
  if (hour === undefined) return null;
  const today = Date.UTC(
    now.getUTCFullYear(),
    now.getUTCMonth(),
    now.getUTCDate(),
    hours(hour, half),
    Number(minute ?? 0),
  );
  return new Date(today > now.getTime() ? today : today + 86_400_000).toISOString();
}

function hours(hour: string | undefined, half: string | undefined): number {
  return (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0);
}
