import { expect, test } from 'vitest';

import { snapshotOf, someSession, someAttempt, someTask } from '../../test/support/snapshots.ts';
import { widthOf } from '../terminal/width.ts';
import { createWaitFilter, liveView, newsLine } from './progress.ts';

import { noColors } from '../terminal/colors.ts';
const colors = noColors;

test('in a log every line is complete: time, what happened, which task, the news', () => {
  const line = newsLine(
    { kind: 'rejected', key: 'docs', text: 'README.md is missing' },
    { colors, keyWidth: 6, elapsedMs: 12_300, plain: true },
  );
  expect(line).toBe('    12s ✘ rejected   docs    README.md is missing');
});

test('at a terminal a long line wraps to below its own text', () => {
  const line = newsLine(
    {
      kind: 'started',
      key: 'docs',
      text: 'helper: Write what a stranger has to know about the wholesale prices of our shop',
    },
    { colors, keyWidth: 6, elapsedMs: 12_300, plain: false, width: 60 },
  );
  expect(line.split('\n')).toEqual([
    '▶ started    docs    helper: Write what a stranger has to',
    '                     know about the wholesale prices of our',
    '                     shop',
  ]);
});

const at = (ms: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + ms);
const shown = { colors, frame: 0, elapsedMs: 9_000, now: at(4_000), width: 79 };

/** One task at work, whose agent has told all that an agent can tell. */
function atWork(changes: { key?: string; activity?: string; costMicroUsd?: number } = {}) {
  const { key = 'hello', activity = '→ npm test', costMicroUsd = 10_000 } = changes;
  return snapshotOf([someTask(key, { status: 'IN_PROGRESS' })], {
    attempts: [
      someAttempt(key, {
        ...{ sessionId: 's', meter: 'open', inputTokens: 3_240, outputTokens: 90, costMicroUsd },
        costEstimated: costMicroUsd === 0,
        route: { agent: 'claude-code', model: null },
      }),
    ],
    sessions: [someSession('s', { model: 'opus', activity, deadlineAt: at(124_000) })],
  });
}

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
  expect(liveView(snapshot, shown).split('\n')).toEqual([
    '',
    '⠋ b  running  4s',
    '⠋ c  verifying',
    '━━━━━─────────────── 1/4 landed · $2.50 · 9s',
  ]);
});

test('a task at work is shown with agent, model, tool, money, tokens, and the time that is left', () => {
  expect(liveView(atWork(), { ...shown, width: 200 }).split('\n')[1]).toBe(
    '⠋ hello  claude-code·opus  → npm test  $0.0100  3.2k/90 tok  4s, 2m left',
  );
  expect(liveView(atWork({ activity: 'retry 7/10 (rate limit)' }), shown)).toContain(
    'retry 7/10 (rate limit)',
  );
});

test('tokens without a price cost something that is not known', () => {
  expect(liveView(atWork({ costMicroUsd: 0 }), shown)).toContain('cost unknown');
});

test.each([40, 80, 200])(
  'at %i columns no line is wider than the terminal, whatever the titles are',
  (columns) => {
    for (const activity of ['→ ' + 'npm run very-long '.repeat(20), '→ ' + '日本語'.repeat(60)]) {
      const text = liveView(atWork({ key: 'キー'.repeat(12), activity }), { ...shown, width: columns - 1 });
      for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThan(columns);
      expect(text).toContain('→ ');
    }
  },
);

test('a member of a batch that another one is before is queued behind it', () => {
  const snapshot = snapshotOf(
    [someTask('alpha', { status: 'IN_PROGRESS' }), someTask('beta', { status: 'CLAIMED' })],
    {
      attempts: [someAttempt('alpha', { sessionId: 's' }), someAttempt('beta', { sessionId: 's' })],
      sessions: [someSession('s')],
    },
  );
  expect(liveView(snapshot, shown)).toContain('⠋ beta   command  queued behind alpha');
});

test('more tasks at work than fit are counted', () => {
  const tasks = Array.from({ length: 14 }, (_, index) => someTask(`t${index}`, { status: 'IN_PROGRESS' }));
  const text = liveView(snapshotOf(tasks), shown);
  expect(text).toContain('4 more at work');
  expect(text.split('\n')).toHaveLength(12);
});

test('in a log a reason to wait is said once, and again only when it is another one', () => {
  const isNews = createWaitFilter();
  const waits = (text: string) => isNews({ kind: 'waits', key: 'a', text });
  expect(waits('The provider is rate-limited. Until 00:00:05 UTC.')).toBe(true);
  expect(waits('The provider is rate-limited. Until 00:00:11 UTC.')).toBe(false);
  expect(isNews({ kind: 'again', key: 'a', text: 'try 2 of 4' })).toBe(true);
  expect(waits('The provider is rate-limited. Until 00:00:17 UTC.')).toBe(false);
  expect(waits('No model fits the budget.')).toBe(true);
  expect(isNews({ kind: 'waits', key: 'b', text: 'The provider is rate-limited.' })).toBe(true);
});
