import { expect, test } from 'vitest';
import fc from 'fast-check';
import { findKeys } from './key-shapes.ts';
import { redact, tail } from './redact.ts';

const random = 'q8Zr2Lk0Vt5Xw9Bn3Mc7Hd1Fs6Jg4Py8Ua2EqW5eRt7';

test.each([
  ['GitHub token', `ghp_${random.slice(0, 36)}`],
  ['GitHub fine-grained token', `github_pat_${random}${random}`],
  ['GitLab token', `glpat-${random.slice(0, 20)}`],
  ['Slack token', `xoxb-${random}`],
  ['Anthropic key', `sk-ant-api03-${random}`],
  ['OpenAI key', `sk-proj-${random}${random}`],
  ['Google API key', `AIza${random.slice(0, 35)}`],
  ['Stripe live key', `sk_live_${random.slice(0, 24)}`],
  ['npm token', `npm_${random.slice(0, 36)}`],
  ['AWS access key', 'AKIAQ7ZT4WLR2MXN5VBH'],
])('a %s is found and taken out of text', (kind, key) => {
  expect(findKeys(`token = "${key}";`)).toEqual([{ kind, text: key }]);
  expect(redact(`token = "${key}";`, { env: {} })).toBe(`token = "[${kind} removed]";`);
});

test.each([
  'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'AKIAIOSFODNN7EXAMPLE',
  'sk-ant-your-key-goes-here-your-key-goes-here',
  '9b2c1f0e7d6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c',
  'sha512-q8Zr2Lk0Vt5Xw9Bn3Mc7Hd1Fs6Jg4Py8Ua2EqW5eRt7==',
  '-----BEGIN PRIVATE KEY-----',
  'ghp_short',
])('%s is no key', (text) => {
  expect(findKeys(text)).toEqual([]);
});

test('values of variables with secret names are taken out, others stay', () => {
  const env = { API_TOKEN: 'abcdef123', HOME: '/home/me', MY_SECRET: 'abcdef123456', SHORT_TOKEN: 'ab' };
  expect(redact('abcdef123456 abcdef123 /home/me ab', { env })).toBe(
    '[MY_SECRET removed] [API_TOKEN removed] /home/me ab',
  );
});

test('the end of any text stays within its limit and is really the end', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.integer({ min: 40, max: 300 }),
      (text, maxBytes) => {
        const kept = tail(text, { maxBytes });
        if (Buffer.byteLength(text) <= maxBytes) return kept === text;
        return Buffer.byteLength(kept) <= maxBytes + 6 && text.endsWith(kept.slice('[…]\n'.length));
      },
    ),
  );
});
