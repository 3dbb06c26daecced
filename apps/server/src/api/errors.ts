import { BatonError, errorCodes, type ErrorCode } from '@baton/contracts';
import { TRPCError } from '@trpc/server';

type TrpcCode = TRPCError['code'];

const byHttp: Readonly<Record<number, TrpcCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  408: 'TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'TOO_MANY_REQUESTS',
  499: 'CLIENT_CLOSED_REQUEST',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};

/** The tRPC code of one of Baton's codes, by the table's HTTP status. */
export function trpcCode(code: ErrorCode): TrpcCode {
  return byHttp[errorCodes[code].http] ?? 'INTERNAL_SERVER_ERROR';
}

/** An error of ours as tRPC carries it; anything else as it is. */
export function asTrpcError(cause: unknown): unknown {
  if (!BatonError.is(cause)) return cause;
  return new TRPCError({ code: trpcCode(cause.code), message: cause.message, cause });
}

/** What tRPC itself refused (no such procedure, a body that is no JSON, a wrong method), with a code of ours. */
export function ownRefusal(error: TRPCError): BatonError {
  const code =
    error.code === 'NOT_FOUND'
      ? 'NOT_FOUND'
      : error.code === 'PAYLOAD_TOO_LARGE'
        ? error.code
        : 'INVALID_INPUT';
  return new BatonError(code, error.message, {
    fix: 'See the types of the client, `AppRouter`.',
    cause: error,
  });
}

/** What a client sees of an error of ours: code, place and way out; of any other: nothing but that it happened. */
export interface ErrorBody {
  code: ErrorCode | 'INTERNAL';
  message: string;
  fix: string | null;
  at: string | null;
  retryable: boolean;
}

/** Turns anything thrown into what may leave the server. */
export function errorBody(cause: unknown): ErrorBody {
  if (BatonError.is(cause)) {
    return {
      code: cause.code,
      message: cause.message,
      fix: cause.fix ?? null,
      at: cause.at ?? null,
      retryable: cause.retryable,
    };
  }
  return {
    code: 'INTERNAL',
    message: 'Something went wrong inside the server; its log says what.',
    fix: null,
    at: null,
    retryable: false,
  };
}

/** HTTP status of anything thrown. */
export function httpStatus(cause: unknown): number {
  return BatonError.is(cause) ? errorCodes[cause.code].http : 500;
}
