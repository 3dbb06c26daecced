import { expect, test } from 'vitest';

import { createWaitFilter } from './progress.ts';
import { waitText } from './wait-text.ts';

const now = new Date('2026-01-01T00:00:00Z');
const told = { text: 'The target has changes.', owner: 'a person', until: null };

test.each([
  ['commit or stash the changes of the checkout', 'commit or stash the changes of the checkout'],
  ['baton budget <usd> tidy-1', '`baton budget <usd> tidy-1`'],
  [
    'start a worker with labels gpu: BATON_LABELS=gpu baton up',
    'start a worker with labels gpu: `BATON_LABELS=gpu baton up`',
  ],
  [
    'start a worker: baton run --resume tidy-1, once they have ended',
    'start a worker: `baton run --resume tidy-1`, once they have ended',
  ],
  ['free it, then `git switch main`', 'free it, then `git switch main`'],
])('what a person can do is in the line of the live view, its command as one: %s', (unblock, shown) => {
  expect(waitText({ ...told, unblock }, now)).toBe(`The target has changes. To unblock: ${shown}.`);
});

test('what ends by itself has its time alone, and appears once', () => {
  const parked = { ...told, owner: 'upkeep', unblock: 'baton resume tidy-1' };
  const line = (until: Date) => waitText({ ...parked, until }, now);
  expect(line(new Date('2026-01-01T00:05:00Z'))).toMatch(/^The target has changes\. Until .+\.$/);
  const isNews = createWaitFilter();
  const news = ['05', '06'].map((minute) =>
    isNews({ kind: 'waits', key: 'a', text: line(new Date(`2026-01-01T00:${minute}:00Z`)) }),
  );
  expect(news).toEqual([true, false]);
});

test('an act that is another one is news, although the time is the same', () => {
  const isNews = createWaitFilter();
  const line = (unblock: string) =>
    waitText({ ...told, until: new Date('2026-01-01T00:05:00Z'), unblock }, now);
  expect(isNews({ kind: 'waits', key: 'a', text: line('log in') })).toBe(true);
  expect(isNews({ kind: 'waits', key: 'a', text: line('log in') })).toBe(false);
  expect(isNews({ kind: 'waits', key: 'a', text: line('name a model') })).toBe(true);
});
