import { BatonError, errorCodes, type ErrorCode } from '@baton/contracts';
import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { expect, test } from 'vitest';
import { errorBody, httpStatus, trpcCode } from './errors.ts';

test('every code of the table becomes the HTTP status of the table, over tRPC too', () => {
  for (const [code, { http }] of Object.entries(errorCodes)) {
    const ours = new BatonError(code as ErrorCode, 'x');
    expect([code, httpStatus(ours)]).toEqual([code, http]);
    const status = getHTTPStatusCodeFromError(new TRPCError({ code: trpcCode(code as ErrorCode) }));
    expect([code, status]).toEqual([code, http]);
  }
});

test('an error of ours leaves with code, message, place and way out', () => {
  const error = new BatonError('NOT_FOUND', 'No such run.', {
    fix: 'List them.',
    at: 'runs.get',
    details: { secret: 1 },
  });
  expect(errorBody(error)).toEqual({
    code: 'NOT_FOUND',
    message: 'No such run.',
    fix: 'List them.',
    at: 'runs.get',
    retryable: false,
  });
});

test('of any other error nothing leaves but that it happened', () => {
  const body = errorBody(new Error('password of the database: hunter2'));
  expect(JSON.stringify(body)).not.toContain('hunter2');
  expect(body.code).toBe('INTERNAL');
  expect(httpStatus(new Error('x'))).toBe(500);
});
