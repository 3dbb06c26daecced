import { expect, test } from 'vitest';
import { createBatonClient, type ClientOptions } from '../src/client.ts';

const fine = { url: 'http://127.0.0.1:7420', key: 'baton_abc' };

test.each<[string, unknown]>([
  ['url', undefined],
  ['url', ''],
  ['url', '127.0.0.1:7420'],
  ['url', 'ftp://h'],
  ['url', new URL('http://h')],
  ['key', undefined],
  ['key', 'hush\nhush'],
  ['key', 'hush\u2713hush'],
])('a client is not made with the %s %j, and nothing of a key is shown', (at, value) => {
  const make = () => createBatonClient({ ...fine, [at]: value } as ClientOptions);
  expect(make).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', at, fix: expect.any(String) }));
  expect(make).not.toThrow(/hush/);
});

test('a key with the line feed of its file, and a path below a proxy, are fine', () => {
  expect(() => createBatonClient({ url: 'https://h/baton/', key: 'baton_abc\n' })).not.toThrow();
});
