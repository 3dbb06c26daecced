import { expect, test } from 'vitest';
import type { Git } from '@baton/contracts';
import { tamperChecks } from './tamper-checks.ts';

const failing: Git = () =>
  Promise.resolve({
    ...{ exitCode: 128, signal: null, stdout: '', stderr: 'fatal: out of memory', durationMs: 1 },
    ...{ timedOut: false, aborted: false, truncated: false },
  });

test('a "no" is kept where the signs of tampering cannot be read, a "yes" is not given without them', async () => {
  const change = { path: 'src/a.js', status: 'added', mode: '100644', id: 'a'.repeat(40) } as const;
  const candidate = { onto: 'b'.repeat(40), commit: 'c'.repeat(40), tree: 'd'.repeat(40), changes: [change] };
  const work = { run: { gates: [] }, task: { files: [], role: 'backend' } };
  const ctx = { git: failing, clock: { now: () => new Date(0), monotonicMs: () => 0 } };
  const ask = (passed: boolean) => tamperChecks(ctx, { work, clone: '/', candidate, passed });
  expect(await ask(false)).toEqual([]);
  await expect(ask(true)).rejects.toMatchObject({ code: 'GIT_FAILED' });
});
