import { expect, test } from 'vitest';
import { createSeats, createTurns } from './turns.ts';

test('calls of one key run a few at a time in their order, and another key waits for none of them', async () => {
  const turns = createTurns({ atOnce: 2, waiting: 10 });
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const call = (key: string, name: string) =>
    turns.take(key, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = [call('a', 'a1'), call('a', 'a2'), call('a', 'a3'), call('a', 'a4'), call('b', 'b1')];
  await Promise.resolve();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  while (begun.length < 5) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'a4']);
  for (const end of ends) end();
  await Promise.all(all);
});

test('a call that fails hands its turn on, and who would wait too long is refused', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 1 });
  const gate = Promise.withResolvers<void>();
  const first = turns.take('a', async () => {
    await gate.promise;
    throw new Error('broken');
  });
  const second = turns.take('a', async () => 'second');
  await expect(turns.take('a', async () => 'third')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  gate.resolve();
  await expect(first).rejects.toThrow('broken');
  expect(await second).toBe('second');
  expect(await turns.take('a', async () => 'again')).toBe('again');
});

test('a key has so many seats, which come free once each', () => {
  const seats = createSeats({ each: 2, what: 'live feeds' });
  const [one] = [seats.open('a'), seats.open('a')];
  expect(() => seats.open('a')).toThrowError(expect.objectContaining({ code: 'RATE_LIMITED' }));
  seats.open('b');
  one.close();
  one.close();
  seats.open('a');
  expect(() => seats.open('a')).toThrowError(expect.objectContaining({ code: 'RATE_LIMITED' }));
});

test('a call that waits too long for its turn is refused and never begun, and its place goes to the next', async () => {
  const turns = createTurns({ atOnce: 1, waiting: 2, waitMs: 20 });
  const gate = Promise.withResolvers<void>();
  const first = turns.take('a', () => gate.promise);
  const begun: string[] = [];
  const second = turns.take('a', async () => void begun.push('second'));
  await expect(second).rejects.toMatchObject({ code: 'DATABASE_INTERRUPTED', retryable: true });
  const third = turns.take('a', async () => void begun.push('third'));
  gate.resolve();
  await Promise.all([first, third]);
  expect(begun).toEqual(['third']);
});
