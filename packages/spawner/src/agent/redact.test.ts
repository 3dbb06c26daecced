import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactor, secretValues } from './redact.ts';

test('values of variables that are secret by name are found, others are not', () => {
  const env = {
    OPENAI_API_KEY: 'k1',
    GITHUB_TOKEN: 'k2',
    DB_PASSWORD: 'k3',
    DATABASE_URL: 'k4',
    PATH: '/bin',
    KEYBOARD: 'de',
    MONKEY: 'm',
  };
  expect(secretValues(env)).toEqual(['k1', 'k2', 'k3', 'k4']);
});

test('a secret never comes through: plain, encoded, or inside other text', () => {
  const secret = fc
    .string({ minLength: 8, maxLength: 60 })
    .filter((text) => !'[redacted]'.includes(text) && text.trim().length >= 8);
  fc.assert(
    fc.property(secret, fc.string(), (value, around) => {
      const redact = redactor([value]);
      for (const form of [
        value,
        Buffer.from(value).toString('base64'),
        JSON.stringify(value),
        encodeURIComponent(value),
      ]) {
        expect(redact(`${around}|${form}|${around}`)).not.toContain(value);
        expect(redact(form)).toContain('[redacted]');
      }
    }),
  );
});

test('of a secret that begins with another one nothing is left, in whatever order they are given', () => {
  const [short, long] = ['hunter2-hunter2', 'hunter2-hunter2-and-its-end'];
  for (const secrets of [
    [short, long],
    [long, short],
  ])
    expect(redactor(secrets)(`a ${long} b ${short} c`)).toBe('a [redacted] b [redacted] c');
});

test.each([
  ['sk', 'ant', 'api03', 'abcdefghijklmnop1234'].join('-'),
  'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'AKIAABCDEFGHIJKLMNOP',
  'AIzaSyA1234567890abcdefghijklmnopqrstuv',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdefghijk',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----',
])('the token %s is known by its shape', (token) => {
  expect(redactor([])(`before ${token} after`)).toBe('before [redacted] after');
});

test('passwords in URLs and bearer tokens go, the rest of the line stays', () => {
  expect(redactor([])('GET postgres://me:hunter2@db/x')).toBe('GET postgres://me:[redacted]@db/x');
  expect(redactor([])('Authorization: Bearer abcdefghijklmnopqrst.uv')).toBe(
    'Authorization: Bearer [redacted]',
  );
});

test('ordinary text is left as it is', () => {
  const text = 'The task-key of step sk-1 is "Basic auth"; see https://example.com:8080/a@b';
  expect(redactor(['short'])(text)).toBe(text);
});
