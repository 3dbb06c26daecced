import type { CheckResult } from '@baton/contracts';
import type { LandingWork } from '@baton/task-store';
import { expect, test } from 'vitest';

import { requestText } from './request-text.ts';

const work = (given: { title?: string; summary?: string | null }) =>
  ({
    task: { key: 'parser', title: given.title ?? 'Parse weeks' },
    run: { slug: 'ship-1' },
    attempt: { number: 2, route: { agent: 'codex', model: 'gpt' }, summary: given.summary ?? null },
  }) as unknown as LandingWork;
const result = (given: Partial<CheckResult>): CheckResult => ({
  ...{
    name: 'tests',
    kind: 'gate',
    required: true,
    passed: true,
    reason: 'passed',
    durationMs: 1,
    cached: false,
  },
  ...given,
});

test('a request says what it is, who made it, what it passed and what it weakens', () => {
  const results = [
    result({}),
    result({
      name: 'tamper',
      kind: 'builtin',
      required: false,
      passed: false,
      reason: 'a test is `skipped`',
    }),
  ];
  const { title, body } = requestText(work({}), { results });
  expect(title).toBe('Parse weeks');
  expect(body).toContain('Task `parser` of the Baton run `ship-1`, attempt 2 by `codex·gpt`.');
  expect(body).toContain('Gates that it passed: `tests`.');
  expect(body).toContain("- `a test is 'skipped'`");
  expect(requestText(work({}), null).body).toContain('No gate was asked about it.');
});

test('nothing that an agent wrote is markup, a mention or a second line of the title', () => {
  const { title, body } = requestText(
    work({ title: 'One\nTwo', summary: 'Done.\n```\n@everyone [x](http://y)' }),
    null,
  );
  expect(title).toBe('One Two');
  expect(body).toContain('\n    Done.\n    ```\n    @everyone [x](http://y)\n');
  expect(requestText(work({ title: ' ' }), null).title).toBe('parser');
});
