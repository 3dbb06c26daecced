import { expect, test } from 'vitest';

import { snapshotOf, someAttempt, someTask } from '../../test/support/snapshots.ts';
import { widthOf } from '../terminal/width.ts';
import { renderSummary, runResult } from './summary.ts';

import { noColors } from '../terminal/colors.ts';
const colors = noColors;

const done = snapshotOf(
  [someTask('format', { status: 'CLOSED', tries: 1 }), someTask('docs', { status: 'CLOSED' })],
  {
    attempts: [
      someAttempt('format', {
        endsAfterMs: 1200,
        outcome: 'rejected',
        rejections: ['no'],
        costMicroUsd: 1000,
      }),
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
  },
);

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
        tries: 2,
        maxTries: 4,
        agent: null,
        model: null,
        inputTokens: 0,
        outputTokens: 0,
        workedMs: 2000,
        commit: '1'.repeat(40),
        weakened: [],
        costMicroUsd: 1500,
        unmeasuredMicroUsd: 0,
        unmeasured: 0,
        unmeasuredReason: null,
      },
      {
        id: 'task-docs',
        key: 'docs',
        title: 'Do docs',
        status: 'CLOSED',
        attempts: 1,
        tries: 1,
        maxTries: 4,
        agent: null,
        model: null,
        inputTokens: 0,
        outputTokens: 0,
        workedMs: 300,
        commit: '2'.repeat(40),
        weakened: [],
        costMicroUsd: 0,
        unmeasuredMicroUsd: 0,
        unmeasured: 0,
        unmeasuredReason: null,
      },
    ],
    costMicroUsd: 1500,
    unmeasuredMicroUsd: 0,
    unmeasured: 0,
    unmeasuredReason: null,
    durationMs: 2346,
  });
});

test('a finished run says what landed where, what it took, and what to do next', () => {
  const result = runResult(done, { durationMs: 2345 });
  const text = renderSummary(done, { result, colors, branchIsCheckedOut: false });
  expect(text).toContain(
    '✔ tidy-7k2f is done: 2 of 2 tasks landed · 3 attempts (1 rejected) · 2.3s · $0.0015',
  );
  expect(text).toMatch(/✔ landed\s+format\s+2 of 4\s+2s\s+\$0\.0015\s+111111111\s+–\s+Do format/);
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

test('the summary of a failed run says why, and how to retry and resume', () => {
  const failed = snapshotOf([someTask('a', { status: 'FAILED' })], {
    run: { status: 'failed', statusReason: 'a has no tries left' },
  });
  const text = renderSummary(failed, {
    result: runResult(failed, { durationMs: 1 }),
    colors,
    branchIsCheckedOut: false,
  });
  expect(text).toContain('✘ tidy-7k2f failed: 0 of 1 task landed');
  expect(text).toContain('a has no tries left');
  expect(text).toMatch(/baton retry tidy-7k2f\/a .*`baton run --resume tidy-7k2f`/);
  expect(text).not.toContain('baton diff');
});

test('a run that is stuck on a cancelled subtask offers the retry of the task that is blocked on it', () => {
  const stuck = snapshotOf(
    [
      someTask('child', { status: 'CANCELLED', settled: true }),
      someTask('parent', { status: 'BLOCKED', blockedOn: { task: 'task-child' } }),
    ],
    { run: { status: 'stuck', statusReason: 'only a retry moves: parent' } },
  );
  const place = { result: runResult(stuck, { durationMs: 1 }), colors, branchIsCheckedOut: false };
  const text = renderSummary(stuck, place);
  expect(text).toContain('baton task tidy-7k2f/parent');
  expect(text).toContain('baton retry tidy-7k2f/parent');
  const none = snapshotOf([someTask('a')], { run: { status: 'failed', statusReason: 'no base' } });
  expect(renderSummary(none, place)).not.toMatch(/<task>|baton retry/);
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
  expect(text).toContain('4 attempts (1 rejected, 1 conflict)');
});

test('a summary names agent, model and tokens, and why a cost is not known; no line is wider than the terminal', () => {
  const told = snapshotOf([someTask('hello', { status: 'CLOSED', title: '長い題名'.repeat(20) })], {
    attempts: [
      someAttempt('hello', {
        ...{ endsAfterMs: 5, outcome: 'done', inputTokens: 1_600, outputTokens: 12, meter: 'unmeasured' },
        route: { agent: 'codex', model: 'gpt-6.1-sol' },
        unmeasuredReason: 'No price is known for the model "gpt-6.1-sol".',
      }),
    ],
    run: { status: 'done', unmeasuredAttempts: 1 },
  });
  const result = runResult(told, { durationMs: 1 });
  expect([result.costMicroUsd, result.unmeasuredReason, result.tasks[0]?.model]).toEqual([
    null,
    'no price is known for the model "gpt-6.1-sol"',
    'gpt-6.1-sol',
  ]);
  const text = renderSummary(told, { result, colors, branchIsCheckedOut: false, width: 90 });
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'cost unknown: no price is known for the model "gpt-6.1-sol"',
  );
  expect(text).toMatch(/hello +1 of 4 +5ms +unknown +– +codex·gpt-6\.1-sol 1\.6k\/12 tok/);
  for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(90);
});

test('the standing run of a rule that has nothing open is done, not interrupted, with no command to carry it on', () => {
  const tasks = [someTask('a', { status: 'CLOSED', settled: true })];
  const shown = snapshotOf(tasks, { run: { slug: 'trigger-nightly', standing: true } });
  const text = renderSummary(shown, {
    result: runResult(shown, { durationMs: 1 }),
    colors,
    branchIsCheckedOut: false,
  });
  expect(text).toMatch(/✔ trigger-nightly has nothing left to do: 1 of 1 task landed/);
  expect(text).not.toMatch(/interrupted|carry it on/);
  const open = snapshotOf([...tasks, someTask('b')], { run: { slug: 'trigger-nightly', standing: true } });
  const result = runResult(open, { durationMs: 1 });
  expect(renderSummary(open, { result, colors, branchIsCheckedOut: false })).toMatch(/baton up +carry it on/);
});
