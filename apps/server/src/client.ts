import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  retryLink,
  splitLink,
  type TRPCClientError,
  type TRPCLink,
} from '@trpc/client';
import { EventSource } from 'eventsource';
import type { AppRouter } from './routers/router.ts';

/** Where the server is and which key to show. */
export interface ClientOptions {
  /** e.g. http://127.0.0.1:7420 */
  url: string;
  key: string;
}

const maxBatchSize = 50;
const queryTries = 4;
const slowestRetryMs = 5_000;

/**
 * A ready typed client for Node and browsers: batched calls, queries that are asked again when the server is away for a
 * moment, and live events over SSE that resume where they stopped. Mutations are never repeated by themselves. An input with a number or
 * date that is none is not sent.
 * @throws a TypeError with `code`, `at` and `fix` for a url or key that cannot be one
 */
export function createBatonClient({ url, key }: ClientOptions) {
  if (typeof url !== 'string' || !/^https?:\/\/[^/]/.test(url))
    throw wrongOption('url', 'Give the address of the server, such as http://127.0.0.1:7420.');
  // It goes into a header: an error about that one would show it.
  if (typeof key !== 'string' || !/^\s*[\x21-\x7e]*\s*$/.test(key))
    throw wrongOption('key', 'Give the key that `baton keys create` showed.');
  const trpc = `${url.replace(/\/$/, '')}/trpc`;
  const headers = { authorization: `Bearer ${key}` };
  return createTRPCClient<AppRouter>({
    links: [
      onlySendable,
      retryLink({
        retry: ({ op, error, attempts }) =>
          op.type !== 'mutation' && mayPass(error) && (op.type === 'subscription' || attempts < queryTries),
        retryDelayMs: (attempt) => Math.min(100 * 2 ** attempt, slowestRetryMs),
      }),
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({
          url: trpc,
          EventSource,
          eventSourceOptions: () => ({
            fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } }),
          }),
        }),
        // By POST, inputs may be long and stay out of access logs.
        false: httpBatchLink({ url: trpc, headers, methodOverride: 'POST', maxItems: maxBatchSize }),
      }),
    ],
  });
}

/** JSON would send NaN, Infinity and an invalid date as null, which can say the opposite: of a budget, that it has no cap. */
const onlySendable: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) => {
    JSON.stringify(op.input, function (this: unknown, key: string, value: unknown) {
      const given = value === null ? (this as Record<string, unknown>)[key] : value;
      const isLost = typeof given === 'number' ? !Number.isFinite(given) : given instanceof Date;
      if (isLost) throw unsendable(key, { given, path: op.path });
      return value;
    });
    return next(op);
  };

function unsendable(at: string, { given, path }: { given: unknown; path: string }): TypeError {
  const said = `${at === '' ? 'The input' : at} of ${path} is ${String(given)}, which JSON cannot hold: nothing was sent.`;
  return Object.assign(new TypeError(said), {
    ...{ code: 'INVALID_INPUT', at },
    fix: 'Give a finite number, or a valid date.',
  });
}

/** The client holds no part of the server, nor its errors; this one has their shape. */
function wrongOption(at: string, fix: string): TypeError {
  return Object.assign(new TypeError(`The ${at} of the client cannot be one. ${fix}`), {
    code: 'INVALID_INPUT',
    at,
    fix,
  });
}

/** What a server that cannot at the moment answers, or a proxy in front of it. */
const passing = new Set([429, 502, 503, 504]);

/** Whether the same request may succeed later: no answer at all, too busy, or none that can answer at the moment. */
function mayPass(error: TRPCClientError<AppRouter>): boolean {
  const status = error.data?.httpStatus ?? statusOf(error.cause);
  return status === undefined || passing.has(status);
}

/** An event source reports the status of a refused connection as `code`. */
function statusOf(cause: unknown): number | undefined {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return undefined;
  return typeof cause.code === 'number' ? cause.code : undefined;
}

/** The client's type, for code that takes one. */
export type BatonClient = ReturnType<typeof createBatonClient>;
export type { AppRouter } from './routers/router.ts';
