import { expect, it, onTestFinished, vi } from 'vitest';
import { createGroup } from './group-commit.ts';

type Item = { name: string; kind?: string; about?: string };

/** A group whose sends are answered by hand, or at once. */
function byHand({
  lanes = 1,
  lanesOfKind = lanes,
  most = 10,
  atOnce = false,
  spareAfterMs,
}: {
  lanes?: number;
  lanesOfKind?: number;
  most?: number;
  atOnce?: boolean;
  spareAfterMs?: number;
} = {}) {
  const sent: { names: string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const arrived: (() => void)[] = [];
  const call = createGroup<Item, string>({
    lanes,
    lanesOfKind,
    most,
    ...(spareAfterMs !== undefined && { spareAfterMs }),
    kindOf: ({ kind = '' }) => kind,
    keysOf: ({ about }) => (about === undefined ? [] : [about]),
    send: (items) =>
      new Promise((resolve, reject) => {
        const names = items.map(({ name }) => name);
        sent.push({ names, answer: () => resolve(names.map((name) => `${name}!`)), fail: reject });
        arrived.shift()?.();
        if (atOnce) sent.at(-1)?.answer();
      }),
  });
  const departure = () => new Promise<void>((resolve) => arrived.push(resolve));
  return { call, sent, departure, names: () => sent.map(({ names }) => names.join(' ')) };
}

it('lets those that come while the lane is taken leave together, and answers each', async () => {
  const { call, sent, departure, names } = byHand();
  const left = departure();
  const first = call({ name: 'a' });
  await left;
  const next = departure();
  const others = [call({ name: 'b' }), call({ name: 'c' })];
  sent[0]?.answer();
  await next;
  expect(names()).toEqual(['a', 'b c']);
  sent[1]?.answer();
  expect(await Promise.all([first, ...others])).toEqual(['a!', 'b!', 'c!']);
});

it('never puts two calls about the same thing, or of two kinds, into one group, and keeps their order', async () => {
  const { call, names } = byHand({ atOnce: true });
  const calls = [
    call({ name: 'a', about: 'x' }),
    call({ name: 'b', about: 'x' }),
    call({ name: 'c', about: 'x' }),
    call({ name: 'd', kind: 'other' }),
    call({ name: 'e', about: 'y' }),
  ];
  await Promise.all(calls);
  expect(names()).toEqual(['a e', 'b', 'c', 'd']);
});

it('keeps a lane for other kinds, and order among those about the same thing', async () => {
  const { call, sent, departure, names } = byHand({ lanes: 2, lanesOfKind: 1 });
  const first = departure();
  const calls = [call({ name: 'a' })];
  await first;
  const second = departure();
  calls.push(
    call({ name: 'b', about: 'x' }),
    call({ name: 'c', kind: 'other', about: 'x' }),
    call({ name: 'd', kind: 'other' }),
  );
  await second;
  expect(names()).toEqual(['a', 'd']);
  sent[1]?.answer();
  await calls[3];
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  await tick();
  // Its lane is free, but `c` must not leave before `b`.
  expect(names()).toEqual(['a', 'd']);
  sent[0]?.answer();
  await calls[0];
  await tick();
  expect(names()).toEqual(['a', 'd', 'b', 'c']);
  sent[2]?.answer();
  sent[3]?.answer();
  expect(await Promise.all(calls)).toEqual(['a!', 'b!', 'c!', 'd!']);
});

it('lets no call overtake an earlier one about the same thing that was left behind', async () => {
  const { call, names } = byHand({ atOnce: true });
  const calls = [
    call({ name: 'a' }),
    call({ name: 'b', kind: 'other', about: 'x' }),
    call({ name: 'c', about: 'x' }),
    call({ name: 'd' }),
  ];
  await Promise.all(calls);
  expect(names()).toEqual(['a d', 'b', 'c']);
});

it('keeps to its lanes and to the size of a group', async () => {
  const { call, sent, departure, names } = byHand({ lanes: 2, most: 2 });
  const left = departure();
  const calls = ['a', 'b', 'c', 'd', 'e'].map((name) => call({ name }));
  await left;
  expect(names()).toEqual(['a b', 'c d']);
  const next = departure();
  sent[1]?.answer();
  await next;
  expect(names()).toEqual(['a b', 'c d', 'e']);
  for (const { answer } of sent) answer();
  await Promise.all(calls);
});

it('fails every call of the group with the error and continues', async () => {
  const { call, sent, departure } = byHand();
  const left = departure();
  const calls = [call({ name: 'a' }), call({ name: 'b' })];
  await left;
  const next = departure();
  const later = call({ name: 'c' });
  sent[0]?.fail(new Error('lost'));
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await next;
  sent[1]?.answer();
  expect(await later).toBe('c!');
});

it('shares many calls out over its free lanes', async () => {
  const { call, departure, names, sent } = byHand({ lanes: 2, most: 64 });
  const left = departure();
  const calls = Array.from({ length: 20 }, (_, at) => call({ name: `${at}` }));
  await left;
  expect(names().map((name) => name.split(' ').length)).toEqual([10, 10]);
  for (const { answer } of sent) answer();
  await Promise.all(calls);
});

it('opens a spare lane only once the last group has been away for long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { call, sent, departure, names } = byHand({ lanes: 3, spareAfterMs: 50 });
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  const left = departure();
  const calls = [call({ name: 'a' })];
  await left;
  calls.push(call({ name: 'b' }), call({ name: 'c' }));
  await tick();
  vi.advanceTimersByTime(49);
  await tick();
  expect(names()).toEqual(['a']);
  vi.advanceTimersByTime(1);
  await tick();
  expect(names()).toEqual(['a', 'b c']);
  // The second one is as fresh as the first was.
  calls.push(call({ name: 'd' }));
  await tick();
  expect(names()).toEqual(['a', 'b c']);
  sent[1]?.answer();
  await calls[2];
  await tick();
  expect(names()).toEqual(['a', 'b c', 'd']);
  for (const { answer } of sent) answer();
  expect(await Promise.all(calls)).toEqual(['a!', 'b!', 'c!', 'd!']);
  // No timer is left behind by those that came back.
  expect(vi.getTimerCount()).toBe(0);
});
