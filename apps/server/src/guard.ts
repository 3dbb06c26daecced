import rateLimit from '@fastify/rate-limit';
import { BatonError } from '@baton/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { keyOf, refusedName, type Allowed } from './auth.ts';
import type { RequestContext, ServerContext } from './context.ts';

/** Requests per minute of one key, and of one address without a valid key. */
const perMinute = { key: 12_000, address: 600 };

const keys = new WeakMap<FastifyRequest, RequestContext['key']>();

/** The valid key that came with a request, or null. */
export function requestKey(request: FastifyRequest): RequestContext['key'] {
  return keys.get(request) ?? null;
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
  app.addHook('onRequest', async (request) => {
    const key = await keyOf(ctx.store, request.headers.authorization);
    if (key !== null) keys.set(request, key);
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
  const count = app.createRateLimit();
  app.addHook('onRequest', async (request) => {
    for (let more = callsOf(request.url) - 1; more > 0; more -= 1) {
      const counted = await count(request);
      if (!counted.isAllowed && counted.isExceeded) throw tooMany(`${counted.ttlInSeconds} seconds`);
    }
  });
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, (request) => {
    throw new BatonError('NOT_FOUND', `There is no ${request.method} ${request.url.split('?')[0]}.`, {
      fix: 'The API is below /trpc; /healthz, /readyz, /metrics and /webhooks/webhook are the other addresses.',
    });
  });
}

/** How many calls a request carries: a batch counts as its calls. */
function callsOf(url: string): number {
  const [path = '', query = ''] = url.split('?');
  return path.startsWith('/trpc/') && /(^|&)batch=1(&|$)/.test(query) ? path.split(/,|%2C/i).length : 1;
}

function tooMany(after: string): BatonError {
  return new BatonError('RATE_LIMITED', 'Too many requests.', { fix: `Try again in ${after}.` });
}
