import { BatonError } from '@baton/contracts';
import type { FastifyInstance } from 'fastify';
import type { ServerContext } from '../api/context.ts';
import { errorBody } from '../api/errors.ts';
import { requestKey } from './guard.ts';
import { allows } from '../access/keys.ts';
import { createMetrics } from './metrics.ts';

/**
 * `/healthz` (the process lives) and `/readyz` (the database answers), open and without any detail, and `/metrics`.
 *
 * @param options.openMetrics whether metrics may be read without a key: only where no other machine gets in.
 */
export function mountProbes(
  app: FastifyInstance,
  ctx: ServerContext,
  options: { openMetrics: boolean },
): void {
  const metrics = createMetrics(ctx);
  app.get('/healthz', async () => ({ ok: true }));
  app.get('/readyz', async (_request, reply) => {
    try {
      await ctx.store.feed.position();
      return { ok: true };
    } catch (cause) {
      ctx.log.warn('not ready', { cause: String(cause) });
      return reply
        .status(503)
        .header('retry-after', '5')
        .send({ ok: false, error: errorBody(cause) });
    }
  });
  app.get('/metrics', async (request, reply) => {
    const key = requestKey(request);
    if (!options.openMetrics && key === null) {
      throw new BatonError('UNAUTHENTICATED', 'Metrics need a key here.', {
        fix: 'Send "Authorization: Bearer <key>" with a key of scope viewer.',
      });
    }
    if (!options.openMetrics && !allows(key?.scopes ?? [], 'viewer')) {
      throw new BatonError('FORBIDDEN', 'The key lacks the scope viewer.', {
        fix: 'Use a key with the scope viewer.',
      });
    }
    return reply.type(metrics.contentType).send(await metrics.render());
  });
}
