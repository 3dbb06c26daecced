import { expect, test } from 'vitest';
import { allows, hashApiKey, keyScope, makeApiKey } from './keys.ts';

test('a key is stored as a hash that the key gives again, and no two keys are alike', () => {
  const [one, two] = [makeApiKey(), makeApiKey()];
  expect(hashApiKey(one.key)).toBe(one.hash);
  expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(one.hash).not.toContain(one.key);
  expect(one.key.startsWith(one.prefix)).toBe(true);
  expect(two.key).not.toBe(one.key);
});

test('admin may do everything, operator reads too, the rest stand for themselves', () => {
  const may = (scope: string) => keyScope.options.filter((needed) => allows([scope], needed));
  expect(may('admin')).toEqual(['admin', 'operator', 'viewer', 'trigger', 'worker']);
  expect(may('operator')).toEqual(['operator', 'viewer']);
  expect(may('viewer')).toEqual(['viewer']);
  expect(may('trigger')).toEqual(['trigger']);
  expect(may('worker')).toEqual(['worker']);
});

test('an unknown scope, or none, allows nothing', () => {
  expect(keyScope.options.some((needed) => allows(['root', 'constructor'], needed))).toBe(false);
  expect(keyScope.options.some((needed) => allows([], needed))).toBe(false);
});
