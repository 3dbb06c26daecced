import { expect, it } from 'vitest';
import { unsuitable } from './session.ts';

const good = { version: 180_004, encoding: 'UTF8', standby: false };

it.each([
  ['DATABASE_TOO_OLD', { version: 130_020 }, 'PostgreSQL 14'],
  ['DATABASE_ENCODING', { encoding: 'SQL_ASCII' }, "ENCODING 'UTF8'"],
  ['DATABASE_READ_ONLY', { standby: true }, 'primary'],
])('refuses a server with %s and a way out', (code, change, wayOut) => {
  expect(unsuitable({ ...good, ...change })).toMatchObject({
    code,
    fix: expect.stringContaining(wayOut) as string,
  });
});

it('takes any other', () => {
  expect(unsuitable(good)).toBeNull();
  expect(unsuitable({ ...good, version: 140_000 })).toBeNull();
});
