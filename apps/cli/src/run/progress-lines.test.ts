import { expect, test } from 'vitest';

import { snapshotOf, someAttempt, someTask } from '../../test/support/snapshots.ts';
import { progressLines } from './progress-lines.ts';

const commit = 'abcdef0123456789';

test('an attempt is reported when its agent is there, not when it is claimed', () => {
  const before = snapshotOf([someTask('a')]);
  const claimed = snapshotOf([someTask('a', { status: 'CLAIMED' })], {
    attempts: [someAttempt('a', { turnStatus: 'CLAIMING' })],
  });
  const running = snapshotOf([someTask('a', { status: 'IN_PROGRESS' })], { attempts: [someAttempt('a')] });
  expect(progressLines(before, claimed)).toEqual([]);
  expect(progressLines(claimed, running)).toEqual([{ kind: 'started', key: 'a', text: 'Do a' }]);
  expect(progressLines(running, running)).toEqual([]);
});

test('all that happened between two looks is reported in order: started, rejected with the reason, again, landed', () => {
  const before = snapshotOf([someTask('a')]);
  const after = snapshotOf([someTask('a', { status: 'CLOSED', tries: 1 })], {
    attempts: [
      someAttempt('a', {
        endsAfterMs: 1000,
        outcome: 'rejected',
        rejections: ['src/a.js lacks "use strict"'],
      }),
      someAttempt('a', {
        number: 2,
        startsAfterMs: 1001,
        endsAfterMs: 3200,
        outcome: 'done',
        costMicroUsd: 12_300,
      }),
    ],
    commits: { a: commit },
  });
  expect(progressLines(before, after)).toEqual([
    { kind: 'started', key: 'a', text: 'Do a' },
    { kind: 'rejected', key: 'a', text: 'src/a.js lacks "use strict" (try 1 of 4)' },
    { kind: 'again', key: 'a', text: 'try 2 of 4, after: src/a.js lacks "use strict"' },
    { kind: 'landed', key: 'a', text: 'abcdef012 in 2.1s, $0.0123' },
  ]);
});

test('a conflict says so, and a last failure says that no tries are left', () => {
  const running = snapshotOf([someTask('a'), someTask('b')], {
    attempts: [someAttempt('a'), someAttempt('b')],
  });
  const after = snapshotOf(
    [someTask('a', { tries: 0 }), someTask('b', { status: 'FAILED', settled: true, tries: 4 })],
    {
      attempts: [
        someAttempt('a', { endsAfterMs: 5, outcome: 'conflict', counted: false }),
        someAttempt('b', { endsAfterMs: 6, outcome: 'agent_failed', summary: 'exit code 1' }),
      ],
    },
  );
  expect(progressLines(running, after).map(({ kind, text }) => [kind, text])).toEqual([
    ['conflict', 'conflicts with work that has landed (again from a fresh head; no try is used up)'],
    ['failed', 'exit code 1 (no tries are left)'],
  ]);
});

test('a try that failed before one that ended the task in the same moment says which try it was', () => {
  const failed = { endsAfterMs: 5, outcome: 'agent_failed', summary: 'exit code 1' } as const;
  for (const [status, last] of [
    ['CLOSED', { endsAfterMs: 9, outcome: 'done' }],
    ['FAILED', { ...failed, endsAfterMs: 9 }],
    ['CANCELLED', { endsAfterMs: 9, outcome: 'cancelled', counted: false }],
  ] as const) {
    const attempts = [someAttempt('a', failed), someAttempt('a', { number: 2, startsAfterMs: 6, ...last })];
    const lines = progressLines(
      snapshotOf([someTask('a')]),
      snapshotOf([someTask('a', { status, settled: true, tries: 1 })], { attempts }),
    );
    expect(lines.find(({ kind }) => kind === 'failed')?.text, status).toBe('exit code 1 (try 1 of 4)');
  }
});

test('finished work that waits for a person names the command', () => {
  const lines = progressLines(
    snapshotOf([someTask('a', { status: 'DONE' })]),
    snapshotOf([someTask('a', { status: 'PENDING_APPROVAL' })]),
  );
  expect(lines).toEqual([{ kind: 'approval', key: 'a', text: 'waits for a person: `baton approve`' }]);
});

test('a pause of the run is said once, with the way out', () => {
  const running = snapshotOf([someTask('a')]);
  const paused = snapshotOf([someTask('a')], { run: { status: 'paused' } });
  expect(progressLines(running, paused)).toEqual([
    { kind: 'paused', key: '', text: 'the run is paused; continue with `baton resume tidy-7k2f`' },
  ]);
  expect(progressLines(paused, paused)).toEqual([]);
});

test('a run that is held says why, and leaves the way out to the end', () => {
  const running = snapshotOf([someTask('a')]);
  const statusReason = 'BASE_RED: gate tests: exit code 1\nMake it pass with `baton x`.';
  const held = snapshotOf([someTask('a')], { run: { status: 'paused', statusReason } });
  expect(progressLines(running, held)).toEqual([{ kind: 'held', key: '', text: 'gate tests: exit code 1' }]);
});

test('why nothing is at work is reported once, and again when the reason changes', () => {
  const quiet = snapshotOf([someTask('a')]);
  const parked = snapshotOf([someTask('a')], { waits: { a: 'the provider is parked' } });
  const other = snapshotOf([someTask('a')], { waits: { a: 'the budget is spent' } });
  expect(progressLines(quiet, parked)).toEqual([{ kind: 'waits', key: 'a', text: 'the provider is parked' }]);
  expect(progressLines(parked, parked)).toEqual([]);
  expect(progressLines(parked, other)).toEqual([{ kind: 'waits', key: 'a', text: 'the budget is spent' }]);
});

test('tasks of one agent are reported as a batch', () => {
  const before = snapshotOf([someTask('a'), someTask('b')]);
  const after = snapshotOf([someTask('a'), someTask('b')], {
    attempts: [someAttempt('a', { sessionId: 's' }), someAttempt('b', { sessionId: 's' })],
  });
  expect(progressLines(before, after).map((line) => line.text)).toEqual([
    'Do a (one of a batch of 2)',
    'Do b (one of a batch of 2)',
  ]);
});

test('an agent is named with its model, a failure that did not count says so, and a wait in a batch is no time of work', () => {
  const route = { agent: 'mason', model: 'sonnet' };
  const started = snapshotOf([someTask('a')], { attempts: [someAttempt('a', { route })] });
  expect(progressLines(snapshotOf([someTask('a')]), started)[0]?.text).toBe('mason·sonnet: Do a');
  const failed = snapshotOf([someTask('a')], {
    attempts: [
      someAttempt('a', { endsAfterMs: 1, outcome: 'spawn_failed', summary: 'not there', counted: false }),
    ],
  });
  expect(progressLines(started, failed)[0]?.text).toBe('not there (not counted as a try)');
  const landed = snapshotOf([someTask('a', { status: 'CLOSED' })], {
    attempts: [someAttempt('a', { endsAfterMs: 27_000, outcome: 'done' })],
    commits: { a: commit },
  });
  const begun = new Map([['attempt-a-1', new Date('2026-01-01T00:00:15Z')]]);
  expect(progressLines(started, { ...landed, begun })[0]?.text).toBe('abcdef012 in 12s');
});

test('weakened tests are reported once, with what landed or waits, however late the verdict is seen', () => {
  const attempts = [someAttempt('a', { endsAfterMs: 5, outcome: 'done' }), someAttempt('b')];
  const before = snapshotOf([someTask('a'), someTask('b')], { attempts: [] });
  const tasks = [someTask('a', { status: 'CLOSED' }), someTask('b', { status: 'PENDING_APPROVAL' })];
  const landed = snapshotOf(tasks, { attempts, commits: { a: commit } });
  const [one, two] = landed.tasks;
  const flagged = new Map([one, two].map((task) => [task?.id ?? '', ['tests skipped: 1 more in a.test.js']]));
  const told = { ...landed, flagged };
  expect(
    progressLines(before, told).filter(({ kind }) => kind === 'weakened' || kind === 'approval'),
  ).toEqual([
    {
      kind: 'approval',
      key: 'b',
      text: 'waits for a person (tests skipped: 1 more in a.test.js): `baton approve`',
    },
    {
      kind: 'weakened',
      key: 'a',
      text: `tests skipped: 1 more in a.test.js; see \`baton diff ${landed.run.slug}/a\``,
    },
  ]);
  expect(progressLines(landed, told).map(({ kind }) => kind)).toEqual(['weakened']);
  expect(progressLines(told, told)).toEqual([]);
});

test('a pull request is named with its address when it is there, and not again', () => {
  const tasks = [someTask('a', { status: 'DONE' }), someTask('b', { status: 'DONE' })];
  const one = snapshotOf(tasks, { requests: { 'https://hub.test/pull/1': 'a' } });
  const two = snapshotOf(tasks, {
    requests: { 'https://hub.test/pull/1': 'a', 'https://hub.test/pull/2': 'b' },
  });
  const line = (key: string, number: number) => ({
    ...{ kind: 'request', key },
    text: `waits to be merged: https://hub.test/pull/${number}`,
  });
  expect(progressLines(snapshotOf(tasks), one)).toEqual([line('a', 1)]);
  expect(progressLines(one, two)).toEqual([line('b', 2)]);
  expect(progressLines(two, one)).toEqual([]);
});
