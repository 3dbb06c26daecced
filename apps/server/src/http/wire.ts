import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { BatonError, errorCodes } from '@baton/contracts';
import type { FastifyHttpOptions, FastifyInstance, RawServerDefault } from 'fastify';
import { errorBody } from '../api/errors.ts';

/** How long a request may take to arrive, with its body, when nothing else is said. */
export const defaultRequestMs = 60_000;

/**
 * How the HTTP server treats what never becomes a request: one that takes longer to arrive is cut off, so that slow clients cannot hold
 * all connections; an answer that lasts, as a live feed, has no limit. Both kinds of refusal have a code and a way out.
 */
export function wireOptions({ requestMs }: { requestMs: number }) {
  return {
    requestTimeout: requestMs,
    http: { headersTimeout: requestMs, connectionsCheckingInterval: Math.ceil(requestMs / 4) },
    clientErrorHandler: (cause, socket) => {
      if (cause.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      const { status, error } = refusal(cause, requestMs);
      const body = JSON.stringify({ error: errorBody(error) });
      const head = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(body)}`,
        'connection: close',
      ];
      socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
    },
  } satisfies FastifyHttpOptions<RawServerDefault>;
}

/** Why something is no request. */
function refusal(cause: Error & { code?: string }, requestMs: number): { status: number; error: BatonError } {
  if (cause.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const error = new BatonError('REQUEST_TIMEOUT', `The request did not arrive within ${requestMs} ms.`, {
      fix: 'Send it again, headers and body at once: nothing of it was carried out.',
      cause,
    });
    return { status: errorCodes.REQUEST_TIMEOUT.http, error };
  }
  const isTooLarge = cause.code === 'HPE_HEADER_OVERFLOW';
  const error = isTooLarge
    ? new BatonError('INVALID_INPUT', 'The headers of the request are too large.', {
        fix: 'Send long inputs in the body: a query may come by POST. Leave out what Baton does not read, such as cookies.',
        cause,
      })
    : new BatonError('INVALID_INPUT', 'What came is no request of HTTP/1.1.', {
        fix: 'Send one request of HTTP/1.1 after the other, to an address that begins with http://; a proxy in front may speak https.',
        cause,
      });
  return { status: isTooLarge ? 431 : 400, error };
}

/** Hands bodies on as text, but only where they are text: the bytes of another encoding would be stored as question marks. */
export function readUtf8(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    if (typeof body === 'string' || isUtf8(body)) return done(null, body.toString());
    done(
      new BatonError('INVALID_INPUT', 'The body of the request is not UTF-8.', {
        fix: 'Send JSON in UTF-8 with the header "content-type: application/json".',
      }),
    );
  });
}
