import { BatonError, inputIssues } from '@baton/contracts';
import { initTRPC } from '@trpc/server';
import { ZodError } from 'zod';
import type { RequestContext } from './context.ts';
import { ownCommand } from './own-command.ts';
import { asTrpcError, errorBody, ownRefusal } from './errors.ts';
import { allows, type KeyScope } from '../access/keys.ts';
import { refuseUnstorable } from './raw-input.ts';
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
      const at = issues[0]?.path.join('.') ?? null;
      const fix = issues.some(({ path, message }) => path.length === 0 && message.endsWith('undefined'))
        ? 'Send an input: `?input={…}` with a query, a JSON body with a mutation.'
        : null;
      return {
        ...shape,
        message,
        data: {
          ...shape.data,
          stack: undefined,
          baton: { code: 'INVALID_INPUT' as const, message, fix, at, retryable: false, issues },
        },
      };
    }
    const known = BatonError.is(error.cause) || error.code === 'INTERNAL_SERVER_ERROR';
    const baton = errorBody(known ? error.cause : ownRefusal(error));
    return {
      ...shape,
      message: baton?.message ?? shape.message,
      data: { ...shape.data, stack: undefined, baton },
    };
  },
});

export const router = t.router;

/** One key's calls take turns, so that a batch or a hundred requests of it do not hold up everybody else's. */
const takeTurn = t.middleware(({ ctx, type, next }) =>
  type === 'subscription' || ctx.key === null ? next() : ctx.turns.take(ctx.key.id, () => next()),
);

const toTrpc = t.middleware(async ({ next }) => {
  const result = await next();
  if (!result.ok && BatonError.is(result.error.cause)) throw asTrpcError(result.error.cause);
  return result;
});

/** Looks at what came before any schema does. */
const storable = t.middleware(async ({ getRawInput, next }) => {
  refuseUnstorable(await getRawInput());
  return next();
});

/** @throws UNAUTHENTICATED without a key, FORBIDDEN with one that lacks the scope */
function keyWith(scope: KeyScope, key: RequestContext['key']): NonNullable<RequestContext['key']> {
  if (key === null) {
    throw new BatonError('UNAUTHENTICATED', 'No valid key came with the request.', {
      fix: 'Send "Authorization: Bearer <key>"; make one with `baton keys create`.',
    });
  }
  if (!allows(key.scopes, scope)) {
    throw new BatonError('FORBIDDEN', `The key "${key.name}" lacks the scope ${scope}.`, {
      fix: `Use a key with the scope ${scope}.`,
    });
  }
  return key;
}

/**
 * What is done in the name of a request may come long after its beginning: its body was on the way, its turn had to come, a feed lasts. So
 * the key may have been revoked or lost a scope.
 * @throws UNAUTHENTICATED, FORBIDDEN
 */
export async function refuseLapsed(
  { key, keyNow }: Pick<RequestContext, 'key' | 'keyNow'>,
  scope: KeyScope,
): Promise<void> {
  const now = await keyNow();
  if (now === null && key !== null) {
    throw new BatonError('UNAUTHENTICATED', 'The key of this request was revoked.', {
      fix: 'Make another with `baton keys create`.',
    });
  }
  keyWith(scope, now);
}

function procedureFor(scope: KeyScope) {
  const known = t.procedure.use(toTrpc).use(({ ctx, next }) => {
    const key = keyWith(scope, ctx.key);
    return next({ ctx: { ...ctx, key, actor: `api:${key.name}` } });
  });
  const still = t.middleware(async ({ ctx, next }) => {
    await refuseLapsed(ctx, scope);
    return next();
  });
  return known.use(takeTurn).use(still).use(storable);
}

/** What people see holds no secrets; workers get agents as they are, since they start them. */
const redact = t.middleware(async ({ next, type }) => {
  const result = await next();
  return result.ok && type !== 'subscription' ? { ...result, data: redacted(result.data) } : result;
});

/**
 * For procedures whose input may carry a `commandId`: gives the handler the id under which the store carries the call out once.
 * Comes after the input.
 */
export const asCommand = t.middleware(async ({ ctx, input, path, next }) => {
  const { commandId, ...rest } = input as { commandId?: string };
  if (commandId === undefined || ctx.key === null)
    return next({ ctx: { command: {} as { commandId?: string } } });
  const { id: keyId, name } = ctx.key;
  const call = { keyId, procedure: path, commandId, input: rest, actor: `api:${name}` };
  const command: { commandId?: string } = { commandId: await ownCommand(ctx.store, call) };
  return next({ ctx: { command } });
});

/** Procedures deny by default: each one starts from the scope that it asks for. */
export const viewer = procedureFor('viewer').use(redact);
export const operator = procedureFor('operator').use(redact);
export const admin = procedureFor('admin');
export const worker = procedureFor('worker');
