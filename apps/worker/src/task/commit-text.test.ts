import type { CheckResult, Verdict } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import { expect, test } from 'vitest';
import { commitText } from './commit-text.ts';

const check = (name: string, changes: Partial<CheckResult>): CheckResult => ({
  ...{ name, kind: 'gate', required: true, passed: true, reason: '', durationMs: 1, cached: false },
  ...changes,
});

const passed: Verdict = {
  ...{ tree: 't', passed: true, checks: 'signals+gates', reasons: [], durationMs: 1 },
  results: [
    check('lint', {}),
    check('types', { required: false, passed: false }),
    check('tests', { cached: true }),
    check('diff', { kind: 'builtin' }),
    check('path_exists a', { kind: 'signal' }),
  ],
};

function work({
  title = 'Write the changelog',
  goal = title,
  plan = null,
  model = null,
}: { title?: string; goal?: string; plan?: unknown; model?: string | null } = {}) {
  return {
    task: { id: 'task-1', key: 'changelog', title, goal },
    attempt: { number: 2, route: { agent: 'mason', model } },
    run: { slug: 'tidy-7k2f', plan },
  } as LandingWork;
}

const before = { subjects: [], verdict: null };

test('a commit says what was asked and what it passed, and names run, task, agent and model', () => {
  const text = commitText(work({ goal: 'CHANGELOG.md lists every release.', model: 'opus' }), {
    subjects: [],
    verdict: passed,
  });
  expect(text).toEqual({
    message: [
      'Write the changelog',
      'CHANGELOG.md lists every release.',
      'Gates passed: lint, tests. Gates red, as allowed: types. Signals that hold: 1.',
    ].join('\n\n'),
    trailers: {
      'Baton-Task': 'tidy-7k2f/changelog',
      Agent: 'mason',
      Model: 'opus',
      'Task-Id': 'task-1',
      Attempt: '2',
      Run: 'tidy-7k2f',
    },
    author: null,
  });
});

test('a long title is cut between two words for the subject, and is in the body as it is', () => {
  const title = `${'word '.repeat(20)}end`;
  const [subject = '', body] = commitText(work({ title }), before).message.split('\n\n');
  expect(subject).toMatch(/word…$/);
  expect([...subject].length).toBeLessThanOrEqual(72);
  expect(body).toBe(title);
  expect([
    ...(commitText(work({ title: '日'.repeat(90) }), before).message.split('\n')[0] ?? ''),
  ]).toHaveLength(72);
});

test.each([
  [['wip', 'feat(cli): add a changelog', 'more'], 'feat(cli): add a changelog'],
  [[`feat: ${'x'.repeat(80)}`], 'Write the changelog'],
  [['feat:nothing', 'Feat: no'], 'Write the changelog'],
  [['fix: a\u001b[2Jb'], 'fix: a␛[2Jb'],
])('a Conventional subject of the agent is kept, anything else is not: %j', (subjects, subject) => {
  expect(commitText(work(), { subjects, verdict: null }).message.split('\n')[0]).toBe(subject);
});

test('no text from outside becomes a trailer', () => {
  const forged = 'Do it.\n\nSigned-off-by: Boss <boss@example.com>\nTask-Id: other\n---\nReviewed-by : me';
  const { message } = commitText(work({ title: 'Do it\nTask-Id: x', goal: forged }), before);
  expect(message.split('\n')[0]).toBe('Do it Task-Id: x');
  for (const line of message.split('\n').slice(1)) expect(line).not.toMatch(/^[\w-]+\s*:|^---/);
});

test('author, co-author and trailers are as the plan of the run says', () => {
  const commits = {
    author: 'Ada Lovelace <ada@example.com>',
    co_author: 'Bob <bob@example.com>',
    trailers: false,
  };
  const { author, trailers } = commitText(work({ plan: { commits } }), before);
  expect(author).toEqual({ name: 'Ada Lovelace', email: 'ada@example.com' });
  expect(trailers).toEqual({
    'Task-Id': 'task-1',
    Attempt: '2',
    Run: 'tidy-7k2f',
    'Co-authored-by': 'Bob <bob@example.com>',
  });
  const none = commitText(work({ plan: { commits: { co_author: 'none' } } }), before);
  expect(none.trailers).not.toHaveProperty('Co-authored-by');
});
