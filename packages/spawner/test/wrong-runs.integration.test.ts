import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { createRepo, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { runAgent, type RunAgentOptions } from '../src/index.ts';
import { node } from './support/real.ts';

const odd: [string, object][] = [
  ['no repository', { repo: undefined }],
  ['an empty path', { repo: '' }],
  ['no agent', { agent: undefined }],
  ['no prompt', { prompt: undefined }],
  ['a prompt that says nothing', { prompt: ' \n' }],
  ['a time limit of NaN', { timeoutMs: Number.NaN }],
  ['a time limit of 0', { timeoutMs: 0 }],
  ['a time limit that no timer can wait for', { timeoutMs: Infinity }],
  ['a misspelt key', { timeout: 5 }],
  ['a branch that is null', { branch: null }],
  ['a signal that is none', { signal: {} }],
  ['a listener that is none', { onEvent: 'log' }],
  ['a permission that is none', { permission: true }],
];

test.each(odd)('an agent that is run with %s is never started, and nothing is left', async (_, part) => {
  await using repo = await createRepo({ 'a.txt': 'a\n' });
  await using temp = await tempDir();
  const started = path.join(temp.path, 'started');
  const agent = { command: node(`require('fs').writeFileSync(${JSON.stringify(started)}, '')`) };
  const good = {
    repo: repo.path,
    agent,
    prompt: 'Do it.',
    env: { PATH: process.env['PATH'], TMPDIR: temp.path },
  };
  await expect(runAgent({ ...good, ...part } as RunAgentOptions)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining(Object.keys(part)[0] ?? ''),
  });
  await expect(runAgent(undefined as unknown as RunAgentOptions)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
  expect(existsSync(started)).toBe(false);
  expect(readdirSync(temp.path)).toEqual([]);
  expect(await repo.git('for-each-ref', 'refs/baton')).toBe('');
});
