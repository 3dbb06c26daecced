import { expect, test } from 'vitest';

import { until } from './until.ts';

test('until gives back the first truthy thing it sees', async () => {
  const seen = [undefined, 0, 'found'];
  expect(await until(() => seen.shift(), { what: 'something is found', everyMs: 1 })).toBe('found');
});

test('a look that throws counts as not yet', async () => {
  let looks = 0;
  const look = () => {
    if (++looks < 3) throw new Error('too early');
    return looks;
  };
  expect(await until(look, { what: 'the look works', everyMs: 1 })).toBe(3);
});

test('when the time is over, the error names what was awaited and what was seen', async () => {
  const waiting = until(() => null, { what: 'the task is closed', timeoutMs: 5, everyMs: 1 });
  await expect(waiting).rejects.toThrow('After 5 ms still not so: the task is closed. Seen last: null');
});
