import { expect, test } from 'vitest';
import { redacted } from './redact.ts';

test('values of env maps are hidden, names of variables stay', () => {
  const run = { agents: { a: { command: ['x'], env: { KEY: 'sk-123', OTHER: '${OTHER}' } } } };
  expect(redacted(run)).toEqual({
    agents: { a: { command: ['x'], env: { KEY: '[hidden]', OTHER: '${OTHER}' } } },
  });
  expect(run.agents.a.env.KEY).toBe('sk-123');
});

test('passwords inside addresses are cut out wherever they stand', () => {
  expect(redacted(['https://me:secret@git.example.com/a.git', 'postgresql://u:p@h/d'])).toEqual([
    'https://me:[hidden]@git.example.com/a.git',
    'postgresql://u:[hidden]@h/d',
  ]);
});

test('everything else stays as it is, dates too', () => {
  const value = { at: new Date(0), list: [1, null, 'a:b@c'], env: 'production', nested: { env: { n: 1 } } };
  expect(redacted(value)).toEqual(value);
});
