import { expect, test } from 'vitest';

import { snapshotOf, someAttempt, someTask } from '../../test/support/snapshots.ts';
import { renderSummary, runResult } from './summary.ts';

import { noColors } from '../colors.ts';
const colors = noColors;

const done = snapshotOf([someTask('format', { status: 'CLOSED' }), someTask('docs', { status: 'CLOSED' })], {
  attempts: [
    someAttempt('format', { endsAfterMs: 1200, outcome: 'rejected', rejections: ['no'], costMicroUsd: 1000 }),
    someAttempt('format', {
      number: 2,
      startsAfterMs: 1200,
      endsAfterMs: 2000,
      outcome: 'done',
      costMicroUsd: 500,
    }),
    someAttempt('docs', { endsAfterMs: 300, outcome: 'done' }),
  ],
  commits: { format: '1'.repeat(40), docs: '2'.repeat(40) },
  run: { status: 'done', spentMicroUsd: 1500 },
});

test('the result has exactly the published keys', () => {
  expect(runResult(done, { durationMs: 2345.6 })).toEqual({
    runId: 'run-1',
    status: 'done',
    target: 'baton/tidy-7k2f',
    tasks: [
      {
        id: 'task-format',
        key: 'format',
        title: 'Do format',
        status: 'CLOSED',
        attempts: 2,
        commit: '1'.repeat(40),
        costMicroUsd: 1500,
        unmeasuredMicroUsd: 0,
        unmeasured: 0,
      },
      {
        id: 'task-docs',
        key: 'docs',
        title: 'Do docs',
        status: 'CLOSED',
        attempts: 1,
        commit: '2'.repeat(40),
        costMicroUsd: 0,
        unmeasuredMicroUsd: 0,
        unmeasured: 0,
      },
    ],
    costMicroUsd: 1500,
    unmeasuredMicroUsd: 0,
    unmeasured: 0,
    durationMs: 2346,
  });
});

test('a finished run says what landed where, what it took, and what to do next', () => {
  const result = runResult(done, { durationMs: 2345 });
  const text = renderSummary(done, { result, colors, branchIsCheckedOut: false });
  expect(text).toContain(
    '✔ tidy-7k2f is done: 2 of 2 tasks landed · 3 attempts (1 rejected by verification) · 2.3s · $0.0015',
  );
  expect(text).toMatch(/✔ landed\s+format\s+2\s+2s\s+\$0\.0015\s+111111111\s+Do format/);
  expect(text).toContain('The commits are on baton/tidy-7k2f. Your checkout was not touched.');
  expect(text).toContain('baton diff tidy-7k2f');
  expect(text).toContain('baton merge tidy-7k2f');
});

test('a run that landed on the checked out branch offers no merge and does not claim an untouched checkout', () => {
  const onMain = { ...done, run: { ...done.run, target: 'main' } };
  const text = renderSummary(onMain, {
    result: runResult(onMain, { durationMs: 1 }),
    colors,
    branchIsCheckedOut: true,
  });
  expect(text).toContain('The commits are on main.');
  expect(text).not.toMatch(/not touched|baton merge/);
});

test('a failed run says why and how to go on', () => {
  const failed = snapshotOf([someTask('a', { status: 'FAILED' })], {
    run: { status: 'failed', statusReason: 'a has no tries left' },
  });
  const text = renderSummary(failed, {
    result: runResult(failed, { durationMs: 1 }),
    colors,
    branchIsCheckedOut: false,
  });
  expect(text).toContain('✘ tidy-7k2f is failed: 0 of 1 task landed');
  expect(text).toContain('a has no tries left');
  expect(text).toContain('baton retry <task>');
  expect(text).not.toContain('baton diff');
});

test('conflicts are counted beside rejections', () => {
  const met = {
    ...done,
    attempts: [...done.attempts, someAttempt('docs', { endsAfterMs: 10, outcome: 'conflict' })],
  };
  const text = renderSummary(met, {
    result: runResult(met, { durationMs: 1 }),
    colors,
    branchIsCheckedOut: false,
  });
  expect(text).toContain('4 attempts (1 rejected by verification, 1 conflict)');
});
