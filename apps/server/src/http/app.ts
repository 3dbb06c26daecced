import { BatonError } from '@baton/contracts';
import { fastifyTRPCPlugin, type FastifyTRPCPluginOptions } from '@trpc/server/adapters/fastify';
import fastify, { type FastifyInstance } from 'fastify';
import { allowedNames, isLoopback, urlHost, type Allowed } from './auth.ts';
import type { RequestContext, ServerContext } from '../api/context.ts';
import { errorBody, httpStatus } from '../api/errors.ts';
import { guard, requestKey, requestKeyNow } from './guard.ts';
import { mountProbes } from './probes.ts';
import { appRouter, type AppRouter } from '../routers/router.ts';
import { mountWebhooks } from './webhooks.ts';
import { defaultRequestMs, readUtf8, wireOptions } from './wire.ts';

/** How the HTTP side listens. */
export interface ListenOptions {
  host: string;
  port: number;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
  /** How long a request may take to arrive; 60 s when left out. */
  requestMs?: number | undefined;
}

const maxBodyBytes = 1024 * 1024;
const maxBatchSize = 50;
const retryAfterSeconds = 5;

/** A server that listens. */
export interface ListeningServer {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Builds the HTTP side and listens. @throws PORT_IN_USE */
export async function listen(ctx: ServerContext, options: ListenOptions): Promise<ListeningServer> {
  let allowed: Allowed | null = null;
  const app = fastify({
    ...wireOptions({ requestMs: options.requestMs ?? defaultRequestMs }),
    bodyLimit: maxBodyBytes,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 5_000 },
    // A path that cannot be decoded never reaches a route, its hooks or the error handler.
    frameworkErrors: (cause, _request, reply) => {
      const { raw } = reply;
      raw.writeHead(400, { 'content-type': 'application/json; charset=utf-8' });
      raw.end(JSON.stringify({ error: errorBody(clientError(cause)) }));
    },
  });
  answerErrors(app, ctx);
  await guard(app, ctx, { allowed: () => allowed });
  // Other allowed names mean a proxy in front: requests of strangers come from this machine, too.
  mountProbes(app, ctx, { openMetrics: isLoopback(options.host) && options.allowedHosts.length === 0 });
  await mountWebhooks(app, ctx);
  await mountTrpc(app, ctx);
  const port = await listenOn(app, options);
  const { host } = options;
  allowed = allowedNames({ host, port, hosts: options.allowedHosts, origins: options.allowedOrigins });
  return { url: `http://${urlHost(host)}:${port}`, port, close: () => app.close() };
}

function answerErrors(app: FastifyInstance, ctx: ServerContext): void {
  app.setErrorHandler(async (cause, request, reply) => {
    const known = clientError(cause);
    const status = httpStatus(known);
    if (status >= 500) {
      const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
      ctx.log.error('a request failed', { url: request.routeOptions.url, status, cause: detail });
    }
    if (BatonError.is(known) && known.retryable && status === 503)
      reply.header('retry-after', String(retryAfterSeconds));
    return reply.status(status).send({ error: errorBody(known) });
  });
}

async function mountTrpc(app: FastifyInstance, ctx: ServerContext): Promise<void> {
  const trpcOptions = {
    router: appRouter,
    // Queries may come by POST, so that long inputs fit and stay out of access logs. Mutations never come by GET.
    allowMethodOverride: true,
    maxBatchSize,
    createContext: ({ req }): RequestContext => ({
      ...ctx,
      key: requestKey(req),
      keyNow: requestKeyNow(req),
      disconnect: () => void req.raw.socket.destroy(),
    }),
    onError: ({ error, path }) => {
      if (error.code !== 'INTERNAL_SERVER_ERROR') return;
      ctx.log.error('a procedure failed', { path, cause: error.cause?.stack ?? error.message });
    },
  } satisfies FastifyTRPCPluginOptions<AppRouter>['trpcOptions'];
  await app.register(
    async (scope) => {
      fastifyTRPCPlugin(scope, { trpcOptions }, () => undefined);
      // In place of its own reader, which takes any bytes for text.
      readUtf8(scope);
    },
    { prefix: '/trpc' },
  );
}

async function listenOn(app: FastifyInstance, options: ListenOptions): Promise<number> {
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (cause) {
    await app.close();
    if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE') {
      throw new BatonError('PORT_IN_USE', `Another program listens on ${options.host}:${options.port}.`, {
        cause,
        fix: 'Stop it, or choose another port with --port or BATON_PORT (0 picks a free one).',
      });
    }
    throw cause;
  }
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : options.port;
}

/** Fastify's own refusals as ours. */
function clientError(cause: unknown): unknown {
  if (BatonError.is(cause) || !(cause instanceof Error) || !('statusCode' in cause)) return cause;
  if (cause.statusCode === 413) {
    return new BatonError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBodyBytes} bytes.`, {
      cause,
      fix: 'Send fewer calls in one request, a plan in parts, or of a webhook only what rules read.',
    });
  }
  if (cause.statusCode === 400 || cause.statusCode === 415) {
    return new BatonError('INVALID_INPUT', cause.message, { cause, fix: fixOf(cause) });
  }
  return cause;
}

function fixOf(cause: Error): string {
  const code = 'code' in cause ? cause.code : null;
  if (code === 'FST_ERR_BAD_URL')
    return 'Write each % of the path as %25, or as the start of an encoded byte of UTF-8.';
  return 'Send JSON in UTF-8 with the header "content-type: application/json".';
}
