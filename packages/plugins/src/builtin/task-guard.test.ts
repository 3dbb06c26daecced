import { draftTask, newTask, type TaskDraft } from '@baton/contracts';
import { expect, test } from 'vitest';
import { interceptOnce, recordedMove, replayFeed } from '../testing.ts';
import { taskGuard } from './task-guard.ts';

function draft(change: Partial<TaskDraft> = {}): TaskDraft {
  const given = newTask.parse({ key: 'k', title: 'T', scope: 'small', labels: ['a'], ...change });
  return draftTask(given, { kind: 'api', by: 'ada', trusted: true });
}

const guard = (options: object, change: Partial<TaskDraft> = {}) =>
  interceptOnce(taskGuard, {
    options,
    hook: 'task:beforeCreate',
    payload: { runId: 'r1', draft: draft(change) },
  });

test.each([
  [['infra'], ['infra/main.tf']],
  [['infra/prod'], ['infra']],
  [['infra/'], ['./infra']],
  [['.'], ['README.md']],
  [['infra'], ['.']],
  [
    ['a', 'b'],
    ['src', 'b/c'],
  ],
])('with %j forbidden a task that owns %j is refused', async (forbid, files) => {
  expect(await guard({ forbid }, { files })).toMatchObject({ ok: false, by: 'task-guard' });
});

test.each([
  [['infra'], ['infrastructure/x']],
  [['infra/prod'], ['infra/test']],
  [['infra'], []],
  [[], ['.']],
])('with %j forbidden a task that owns %j is let through', async (forbid, files) => {
  expect(await guard({ forbid }, { files })).toMatchObject({ ok: true });
});

test('a task without required signals or files is refused by its key', async () => {
  expect(await guard({ requireSignals: true })).toEqual({
    ok: false,
    by: 'task-guard',
    reason: 'the task "k" has no signals, so nothing would prove that it is done',
  });
  expect(
    await guard({ requireSignals: true }, { signals: [{ type: 'path_exists', path: 'a' }] }),
  ).toMatchObject({ ok: true });
  expect(await guard({ requireFiles: true })).toMatchObject({ ok: false });
});

test('labels are added once, and nothing else changes', async () => {
  const result = await guard({ addLabels: ['team-x', 'a'] });
  expect(result).toEqual({ ok: true, payload: { runId: 'r1', draft: draft({ labels: ['a', 'team-x'] }) } });
});

test('a guard that forbids nothing leaves the task as it is', async () => {
  expect(await guard({})).toEqual({ ok: true, payload: { runId: 'r1', draft: draft() } });
});

test('a recorded feed leaves a guard cold', async () => {
  const { report } = await replayFeed(taskGuard, { events: [recordedMove()] });
  expect(report).toMatchObject({ name: 'task-guard', state: 'ready', observers: null });
});

test('every path of a task is held against every forbidden one, below it and around it, by whole segments', async () => {
  const forbid = ['infra', 'src/db/', './ci'];
  for (const files of [
    ['docs', 'infra/a.tf'],
    ['docs', 'src/db/x.sql'],
    ['docs', 'src'],
    ['ci'],
    ['docs', '.'],
  ])
    expect([files, (await guard({ forbid }, { files })).ok]).toEqual([files, false]);
  for (const files of [
    ['docs', 'infrastructure/a.tf'],
    ['src/db2', 'src/dba.sql'],
    ['cicd', 'src/api'],
  ])
    expect([files, (await guard({ forbid }, { files })).ok]).toEqual([files, true]);
});

test('labels are added that are not there yet, whichever are', async () => {
  expect(await guard({ addLabels: ['b', 'a', 'c'] }, { labels: ['a', 'x'] })).toMatchObject({
    payload: { draft: { labels: ['a', 'x', 'b', 'c'] } },
  });
});
