import { BatonError, type TriggerEvent } from '@baton/contracts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { check, instant, webhookOptions, webhookRequest } from '../checked.ts';
import { parseExactJson } from '../exact-json.ts';

/** A request as it came in: the signature covers the bytes of the body, so it must not be parsed or decoded before. */
export interface WebhookRequest {
  /** An object, or pairs of name and value such as the `Headers` of fetch. */
  headers:
    Readonly<Record<string, string | readonly string[] | undefined>> | Iterable<readonly [string, string]>;
  body: string | Uint8Array;
}

/** What a request is checked against. */
export interface WebhookOptions {
  /** One or, while the secret is being changed, two secrets: `whsec_` and base64 of 24 bytes or more. */
  secrets: readonly string[];
  now: Date;
  /** Name under which its events are known; `webhook` when left out. */
  source?: string;
  /** Largest difference between its timestamp and `now`; 300 000 when left out. */
  toleranceMs?: number;
}

const body = z.record(z.string(), z.unknown());
const kind = z.string().regex(/^[A-Za-z0-9_.-]{1,100}$/);
const signing = z.object({ body: z.string(), id: z.string(), at: z.date() });
const deliveryId = /^[\x21-\x7e]{1,200}$/;
const sender = z.string().min(1).max(200);
const cause = z.strictObject({ run_id: z.string().min(1).max(64), depth: z.number().int().min(1).max(1000) });

/**
 * Checks the signature of a request by Standard Webhooks and makes an event of it, see {@link webhookEvent}. The event is not trusted: a
 * valid signature says who sent it, not who wrote what is in it.
 *
 * @throws SECRET_MISSING when no secret is configured: then nothing is let in · CONFIG_INVALID for a malformed secret ·
 *   SIGNATURE_INVALID for a request that is unsigned, wrongly signed, too old or from the future · INVALID_INPUT for a body
 *   that is not UTF-8 or no JSON object, or whose cause cannot be read, and for options that are none
 */
export function receiveWebhook(request: WebhookRequest, options: WebhookOptions): TriggerEvent {
  check(webhookOptions, options, 'How a webhook is checked');
  check(webhookRequest, request, 'The request of a webhook');
  const { secrets, now, source = 'webhook', toleranceMs = 300_000 } = options;
  const keys = readSecrets(secrets, source);
  const { id, timestamp, signatures } = readHeaders(request);
  if (Math.abs(now.getTime() - timestamp.getTime()) > toleranceMs) {
    throw refusal(
      `its timestamp is more than ${toleranceMs / 1000} s away from ${now.toISOString()}, the time here`,
    );
  }
  const bytes = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
  const signed = `${id}.${timestamp.getTime() / 1000}.`;
  // The library decodes the body before it signs it, so that different bytes would have one signature.
  const expected = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(signed).update(bytes).digest('base64')}`,
  );
  if (!expected.some((one) => signatures.some((given) => equal(one, given)))) {
    throw refusal(
      'none of its signatures is valid, each "v1," and base64, with "+" and "/", of the HMAC of "<id>.<timestamp>.<body>"',
    );
  }
  return webhookEvent(readBody(bytes), { source, deliveryId: id, at: now });
}

/**
 * The event that the body of a webhook is: `type` becomes its kind, `sender` its sender, `baton: { run_id, depth }` its cause, the whole
 * body its data. Pure.
 * @throws INVALID_INPUT for a cause that cannot be read: an event that may be part of a loop does not count as one without a cause
 */
export function webhookEvent(
  data: Record<string, unknown>,
  { source, deliveryId: id, at }: { source: string; deliveryId: string; at: Date },
): TriggerEvent {
  check(body, data, 'The body of a webhook');
  check(instant, at, 'The time of a webhook');
  const causedBy = Object.hasOwn(data, 'baton') ? readCause(data['baton']) : undefined;
  return {
    source,
    deliveryId: id,
    kind: kind.safeParse(data['type']).data ?? 'webhook',
    receivedAt: at.toISOString(),
    sender: sender.safeParse(data['sender']).data ?? null,
    trusted: false,
    data,
    ...(causedBy === undefined ? {} : { causedBy }),
  };
}

function readCause(given: unknown): NonNullable<TriggerEvent['causedBy']> {
  const read = cause.safeParse(given);
  if (read.success) return { runId: read.data.run_id, depth: read.data.depth };
  const [issue] = read.error.issues;
  const where = ['baton', ...(issue?.path ?? [])].join('.');
  throw new BatonError(
    'INVALID_INPUT',
    `The cause of the event cannot be read: ${where}: ${issue?.message}.`,
    {
      at: where,
      fix: 'Send "baton" as { "run_id": "…", "depth": 1 }, with a whole number from 1 to 1000, or leave it out.',
      cause: read.error,
    },
  );
}

/** Whether a webhook can say of itself that it is of this kind; else its event is of the kind `webhook`. Pure. */
export const isEventKind = (text: string): boolean => kind.safeParse(text).success;

/**
 * The headers that a request needs to be let in: for senders of one's own and for tests.
 * @throws CONFIG_INVALID for a malformed secret · INVALID_INPUT for an id that would be refused
 */
export function signWebhook(
  body: string,
  options: { secret: string; id: string; at: Date },
): Record<string, string> {
  check(signing, { ...options, body }, 'What is to be signed');
  const { secret, id, at } = options;
  if (!deliveryId.test(id))
    throw new BatonError(
      'INVALID_INPUT',
      'The id of a delivery is not 1 to 200 visible characters of ASCII.',
      {
        fix: 'Give an id such as msg-2026-01-31.7, without spaces.',
      },
    );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(toKey(secret), { format: 'raw' }).sign(id, at, body),
  };
}

function readSecrets(secrets: readonly string[], source: string): Buffer[] {
  if (secrets.length === 0) {
    throw new BatonError(
      'SECRET_MISSING',
      `No secret is configured for "${source}", so every request is refused.`,
      {
        fix: 'Make one ("whsec_" and the output of "openssl rand -base64 32") and give it to the sender and to Baton.',
      },
    );
  }
  if (secrets.length > 2) {
    throw new BatonError(
      'CONFIG_INVALID',
      `"${source}" has ${secrets.length} secrets; two may be live at once.`,
      {
        fix: 'Remove the oldest: the new one and the one it replaces are enough.',
      },
    );
  }
  return secrets.map(toKey);
}

function toKey(secret: string): Buffer {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  if (encoded === undefined || encoded.length % 4 !== 0 || key.length < 24) {
    // The secret itself is not told: errors end up in logs.
    throw new BatonError('CONFIG_INVALID', 'A webhook secret is malformed or too short.', {
      fix: 'Use "whsec_" and base64 of at least 24 random bytes, e.g. from "openssl rand -base64 32".',
    });
  }
  return key;
}

function readHeaders(request: WebhookRequest): { id: string; timestamp: Date; signatures: string[] } {
  const { headers } = request;
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  const header = (name: string) => {
    const entry = entries.find(([key]) => key.toLowerCase() === name);
    if (typeof entry?.[1] !== 'string' || entry[1] === '') throw refusal(`it lacks the header ${name}`);
    return entry[1];
  };
  const id = header('webhook-id');
  const seconds = header('webhook-timestamp');
  if (!deliveryId.test(id))
    throw refusal('its webhook-id is malformed: 1 to 200 visible characters of ASCII, sent once');
  if (!/^\d{1,12}$/.test(seconds))
    throw refusal('its webhook-timestamp is malformed: whole seconds since 1970, not milliseconds');
  return {
    id,
    timestamp: new Date(Number(seconds) * 1000),
    // A header that is sent several times comes as one, with commas.
    signatures: header('webhook-signature').split(/,?\s+/),
  };
}

/** A byte order mark at the beginning is let in: it is signed like all the rest, and has no meaning. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function readBody(bytes: Uint8Array): Record<string, unknown> {
  const text = readText(bytes);
  try {
    return body.parse(parseExactJson(text));
  } catch (cause) {
    if (BatonError.is(cause)) throw cause;
    throw new BatonError('INVALID_INPUT', 'The body of the webhook is no JSON object.', {
      fix: 'Send an object, e.g. { "type": "deploy.failed", "data": { … } }.',
      cause,
    });
  }
}

function readText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new BatonError('INVALID_INPUT', 'The body of the webhook is not UTF-8.', {
      fix: 'Send JSON as UTF-8, and sign the bytes that are sent.',
      cause,
    });
  }
}

function equal(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refusal(why: string): BatonError {
  return new BatonError('SIGNATURE_INVALID', `The webhook was refused: ${why}.`, {
    fix: 'Sign requests by Standard Webhooks (webhook-id, webhook-timestamp, webhook-signature) with the secret of this source.',
  });
}
