import type { CheckResult } from '@baton/contracts';
import { expect, it } from 'vitest';
import { createGateMemory, earlierChecks } from './gate-memory.ts';

const result = (name: string, passed = true): CheckResult => ({
  ...{ name, kind: 'gate', required: true, passed, reason: 'exit code 0', durationMs: 1, cached: false },
});

it('finds what passed, and nothing that did not', () => {
  const memory = createGateMemory();
  memory.keep(
    new Map([
      ['a', result('tests')],
      ['b', result('lint', false)],
    ]),
  );
  expect(memory.find('a')?.name).toBe('tests');
  expect(memory.find('b')).toBeNull();
});

it('forgets what was kept longest ago', () => {
  const memory = createGateMemory(2);
  for (const key of ['a', 'b', 'a', 'c']) memory.keep(new Map([[key, result(key)]]));
  expect(['a', 'b', 'c'].map((key) => memory.find(key)?.name ?? null)).toEqual(['a', null, 'c']);
});

it('knows nothing of commands on a set-up without a name', () => {
  expect(earlierChecks(createGateMemory(), { repoId: 'r', setUpKey: null, workspace: null })).toBeNull();
});

it('distinguishes repositories, set-ups and the files that they are copied from', () => {
  const versions = (change: object) =>
    earlierChecks(createGateMemory(), { repoId: 'r', setUpKey: 'k', workspace: null, ...change })?.versions;
  const all = [{}, { repoId: 'other' }, { setUpKey: 'other' }, { workspace: { setup: ['make'] } }].map(
    versions,
  );
  expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(4);
});
