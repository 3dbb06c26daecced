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

const invalid = new Date('never');

test.each<[string, unknown]>([
  ['capMicroUsd', Number('1,5')],
  ['capMicroUsd', Infinity],
  ['capMicroUsd', { of: [1, -Infinity] }],
  ['notBefore', invalid],
])('an input whose %s is %s, which JSON would make null, is not sent', async (key, value) => {
  const client = createBatonClient({ ...fine, url: 'http://127.0.0.1:1' });
  const input = { run: 'r', reason: 'less', capMicroUsd: 5, notBefore: new Date(0), [key]: value };
  const call = client.runs.setBudget.mutate(input);
  await expect(call).rejects.toMatchObject({
    cause: { code: 'INVALID_INPUT', fix: expect.any(String) as string },
  });
  await expect(call).rejects.toThrow('of runs.setBudget is');
});

test('an input that JSON can hold is sent, null too', async () => {
  const client = createBatonClient({ ...fine, url: 'http://127.0.0.1:1' });
  const call = client.runs.setBudget.mutate({ run: 'r', reason: 'lift it', capMicroUsd: null });
  await expect(call).rejects.toThrow('fetch failed');
});
