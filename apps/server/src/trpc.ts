import { BatonError, inputIssues } from '@baton/contracts';
import { initTRPC } from '@trpc/server';
import { ZodError } from 'zod';
import type { RequestContext } from './context.ts';
import { asTrpcError, errorBody } from './errors.ts';
import { allows, type KeyScope } from './keys.ts';
import { redacted } from './redact.ts';

const t = initTRPC.context<RequestContext>().create({
  isDev: false,
  // Pings let both sides notice that the other one is gone; a client that hears none reconnects where it stopped.
  sse: { ping: { enabled: true, intervalMs: 10_000 }, client: { reconnectAfterInactivityMs: 30_000 } },
  errorFormatter: ({ shape, error }) => {
    if (error.cause instanceof ZodError) {
      const issues = inputIssues(error.cause);
      const message = issues
        .map((issue) => (issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
        .join('; ');
      return {
        ...shape,
        message,
        data: {
          ...shape.data,
          stack: undefined,
          baton: { code: 'INVALID_INPUT' as const, message, fix: null, at: null, retryable: false, issues },
        },
      };
    }
    const known = BatonError.is(error.cause) || error.code === 'INTERNAL_SERVER_ERROR';
    const baton = known ? errorBody(error.cause) : null;
    return {
      ...shape,
      message: baton?.message ?? shape.message,
      data: { ...shape.data, stack: undefined, baton },
    };
  },
});

export const router = t.router;

const toTrpc = t.middleware(async ({ next }) => {
  const result = await next();
  if (!result.ok && BatonError.is(result.error.cause)) throw asTrpcError(result.error.cause);
  return result;
});

function procedureFor(scope: KeyScope) {
  return t.procedure.use(toTrpc).use(({ ctx, next }) => {
    if (ctx.key === null) {
      throw new BatonError('UNAUTHENTICATED', 'No valid key came with the request.', {
        fix: 'Send "Authorization: Bearer <key>"; make one with `baton keys create`.',
      });
    }
    if (!allows(ctx.key.scopes, scope)) {
      throw new BatonError('FORBIDDEN', `The key "${ctx.key.name}" lacks the scope ${scope}.`, {
        fix: `Use a key with the scope ${scope}.`,
      });
    }
    return next({ ctx: { ...ctx, key: ctx.key, actor: `api:${ctx.key.name}` } });
  });
}

/** What people see holds no secrets; workers get agents as they are, since they start them. */
const redact = t.middleware(async ({ next, type }) => {
  const result = await next();
  return result.ok && type !== 'subscription' ? { ...result, data: redacted(result.data) } : result;
});

/** Procedures deny by default: each one starts from the scope that it asks for. */
export const viewer = procedureFor('viewer').use(redact);
export const operator = procedureFor('operator').use(redact);
export const admin = procedureFor('admin');
export const worker = procedureFor('worker');
