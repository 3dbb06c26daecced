import rateLimit from '@fastify/rate-limit';
import { BatonError, type Clock } from '@baton/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createKeyLookup, refusedName, type Allowed } from './auth.ts';
import type { RequestContext, ServerContext } from '../api/context.ts';

/** Requests per minute of one key, of one address without a valid key, and of one address with keys that are not known yet. */
const perMinute = { key: 12_000, address: 600, unknownKeys: 600 };

const keys = new WeakMap<FastifyRequest, RequestContext['key']>();
const keysNow = new WeakMap<FastifyRequest, RequestContext['keyNow']>();
/** How long a key that was looked up counts as it was. */
const keyCheckMs = 1_000;

/** The valid key that came with a request, or null. */
export function requestKey(request: FastifyRequest): RequestContext['key'] {
  return keys.get(request) ?? null;
}

/** Gives the key of a request as it is by now. */
export function requestKeyNow(request: FastifyRequest): RequestContext['keyNow'] {
  return keysNow.get(request) ?? (() => Promise.resolve(null));
}

/**
 * Refuses what must not come in, before anything else of a request is looked at: foreign hosts and origins first, for every
 * path there is or is not; then floods, counted by key, else by address.
 *
 * @param options.allowed null until the server knows its port; nothing is let in before.
 */
export async function guard(
  app: FastifyInstance,
  ctx: ServerContext,
  options: { allowed: () => Allowed | null },
): Promise<void> {
  app.addHook('onRequest', async (request) => {
    const allowed = options.allowed();
    const why = allowed === null ? 'the server is starting' : refusedName(allowed, request.headers);
    if (why === null) return;
    throw new BatonError('FORBIDDEN', `Refused: ${why}.`, {
      fix: 'Name the host in BATON_ALLOWED_HOSTS, the origin in BATON_ALLOWED_ORIGINS.',
    });
  });
  app.addHook('onRequest', async ({ headers }) => {
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding === '' || encoding === 'identity') return;
    throw new BatonError('INVALID_INPUT', `A body compressed with "${encoding.slice(0, 50)}" is not read.`, {
      fix: 'Send it uncompressed, without the header "content-encoding".',
    });
  });
  await app.register(rateLimit, {
    timeWindow: '1 minute',
    max: (request) => (requestKey(request) === null ? perMinute.address : perMinute.key),
    keyGenerator: (request) => {
      const key = requestKey(request);
      return key === null ? `address ${request.ip}` : `key ${key.id}`;
    },
    errorResponseBuilder: (_request, { after }) => tooMany(after),
  });
  const countUnknown = app.createRateLimit({
    max: perMinute.unknownKeys,
    keyGenerator: (request) => `keys of ${request.ip}`,
  });
  const lookup = createKeyLookup(ctx.store);
  // A key that was not valid before is counted before Postgres is asked: a flood of wrong ones must not reach it.
  app.addHook('onRequest', async (request) => {
    const { authorization } = request.headers;
    if (lookup.isUnknown(authorization)) refuseExceeded(await countUnknown(request));
    const key = await lookup.keyOf(authorization);
    if (key === null) return;
    keys.set(request, key);
    keysNow.set(
      request,
      freshFor(keyCheckMs, { clock: ctx.clock, first: key, read: () => lookup.keyOf(authorization) }),
    );
  });
  const count = app.createRateLimit();
  app.addHook('onRequest', async (request) => {
    for (let more = callsOf(request) - 1; more > 0; more -= 1) refuseExceeded(await count(request));
  });
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (request) => {
    throw new BatonError('NOT_FOUND', `There is no ${request.method} ${request.url.split('?')[0]}.`, {
      fix: 'The API is below /trpc; /healthz, /readyz, /metrics and /webhooks/webhook are the other addresses.',
    });
  });
}

/** Reads a value again where the last one is older. */
function freshFor<T>(
  ageMs: number,
  { clock, first, read }: { clock: Clock; first: T; read: () => Promise<T> },
): () => Promise<T> {
  let known = { value: first, atMs: clock.monotonicMs() };
  return async () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - known.atMs >= ageMs) known = { value: await read(), atMs: nowMs };
    return known.value;
  };
}

/** How many calls a request carries: a batch counts as its calls. Path and query are decoded as for tRPC, in any spelling. */
function callsOf({ params, url }: FastifyRequest): number {
  const { path } = params as { path?: string };
  const query = new URLSearchParams(url.split('?').slice(1).join('?').split('#')[0]);
  return path !== undefined && query.get('batch') === '1' ? path.split(',').length : 1;
}

function refuseExceeded(counted: Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>): void {
  if (!counted.isAllowed && counted.isExceeded) throw tooMany(`${counted.ttlInSeconds} seconds`);
}

function tooMany(after: string): BatonError {
  return new BatonError('RATE_LIMITED', 'Too many requests.', { fix: `Try again in ${after}.` });
}
