import { expect, test } from 'vitest';

import { snapshotOf, someAttempt, someTask } from '../../test/support/snapshots.ts';
import { liveView, newsLine } from './progress.ts';

import { noColors } from '../colors.ts';
const colors = noColors;

test('in a log every line stands alone: time, what happened, which task, the news', () => {
  const line = newsLine(
    { kind: 'rejected', key: 'docs', text: 'README.md is missing' },
    { colors, keyWidth: 6, elapsedMs: 12_300, plain: true },
  );
  expect(line).toBe('    12s ✘ rejected   docs    README.md is missing');
});

test('the live view shows who is at work, how far the run is and what it cost', () => {
  const snapshot = snapshotOf(
    [
      someTask('a', { status: 'CLOSED' }),
      someTask('b', { status: 'IN_PROGRESS' }),
      someTask('c', { status: 'DONE' }),
      someTask('d'),
    ],
    { attempts: [someAttempt('b'), someAttempt('c')], run: { spentMicroUsd: 2_500_000 } },
  );
  const lines = liveView(snapshot, {
    colors,
    frame: 0,
    elapsedMs: 9_000,
    now: new Date('2026-01-01T00:00:04Z'),
  }).split('\n');
  expect(lines).toEqual([
    '',
    '⠋ b  running 4s',
    '⠋ c  verifying 4s',
    '━━━━━─────────────── 1/4 landed · $2.50 · 9s',
  ]);
});

test('more tasks at work than fit are counted', () => {
  const tasks = Array.from({ length: 14 }, (_, index) => someTask(`t${index}`, { status: 'IN_PROGRESS' }));
  const text = liveView(snapshotOf(tasks), { colors, frame: 1, elapsedMs: 0, now: new Date(0) });
  expect(text).toContain('4 more at work');
  expect(text.split('\n')).toHaveLength(12);
});
