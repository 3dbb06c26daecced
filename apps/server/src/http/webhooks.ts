import { BatonError } from '@baton/contracts';
import { receiveWebhook } from '@baton/triggers';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ServerContext } from '../api/context.ts';

/** The generic signed webhook is the one source that comes by HTTP so far. */
const source = z.literal('webhook');
const maxWebhookBytes = 1024 * 1024;

/**
 * `POST /webhooks/:source`: verifies the raw body, then answers only when the delivery and its tasks are committed. The
 * same delivery again gets the same tasks. The answer says of each rule whether and why it started something. What cannot be taken now is answered with 503 and Retry-After, so that the
 * sender comes again: nothing is lost while the database is down.
 *
 * No API key is asked for: the signature is the credential. @throws SECRET_MISSING, SIGNATURE_INVALID, INVALID_INPUT,
 * DATABASE_UNREACHABLE
 */
export async function mountWebhooks(app: FastifyInstance, ctx: ServerContext): Promise<void> {
  await app.register(async (scope) => {
    // The signature covers the bytes as they came: nothing may parse them before.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: maxWebhookBytes },
      (_request, body, done) => done(null, body),
    );
    scope.post<{ Params: { source: string } }>('/webhooks/:source', async (request, reply) => {
      const known = source.safeParse(request.params.source);
      if (!known.success) {
        throw new BatonError(
          'NOT_FOUND',
          `There is no webhook source "${request.params.source.slice(0, 50)}".`,
          {
            fix: 'Send Standard Webhooks to /webhooks/webhook.',
          },
        );
      }
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const event = receiveWebhook(
        { headers: request.headers, body },
        { secrets: ctx.webhookSecrets, now: ctx.clock.now(), source: known.data },
      );
      const { duplicate, taskIds, rules } = await ctx.triggers.accept(event);
      return reply.status(200).send({ duplicate, taskIds, rules });
    });
  });
}
