import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { listProcessesWithMarker, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { isAlive } from '../src/index.ts';
import { openFake, run, task } from './support/agents.ts';

test('an ACP agent works through several tasks in one process and one session', async () => {
  const script = {
    tasks: {
      alpha: {
        steps: [
          { write: { 'a.txt': 'a' } },
          { toolCall: { title: 'Write a.txt', kind: 'edit' } },
          { say: 'Wrote a.' },
        ],
      },
      beta: { steps: [{ say: 'Wrote ' }, { say: 'b.' }] },
    },
  };
  await using a = await openFake(script, 'acp');
  const first = await run(a.runner, task('do alpha'));
  const second = await run(a.runner, task('do beta'));
  expect(first.finished).toMatchObject({ outcome: 'done', summary: 'Wrote a.', abortReason: null });
  expect(first.types).toEqual([
    ...['ready', 'tool_started', 'tool_completed', 'message', 'unmeasured', 'finished'],
  ]);
  expect(second.finished).toMatchObject({ outcome: 'done', summary: 'Wrote b.' });
  expect(second.spawned).toEqual(first.spawned);
  expect(existsSync(path.join(a.folder, 'a.txt'))).toBe(true);
  expect(await a.runner.close()).toEqual({ exitCode: 0, abortReason: null });
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
  expect(readFileSync(a.logFile, 'utf8')).toContain('[tool] Write a.txt');
});

test('usage is reported as it comes, once, with the cost as a difference', async () => {
  const usage = { inputTokens: 100, outputTokens: 20, cachedReadTokens: 50, costUsd: 0.01 };
  await using a = await openFake({ steps: [{ say: 'x' }, { usage }, { sleepMs: 200 }, { usage }] }, 'acp');
  for (const _prompt of [1, 2]) {
    const { events } = await run(a.runner);
    const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const base = { model: null, estimated: false };
    const tokens = { inputTokens: 200, outputTokens: 40, cacheReadTokens: 100, cacheWriteTokens: 0 };
    expect(events.filter(({ type }) => type === 'usage' || type === 'unmeasured')).toEqual([
      { type: 'usage', offset: 0, usage: { ...base, ...none, costMicroUsd: 10_000 } },
      { type: 'usage', offset: 1, usage: { ...base, ...none, costMicroUsd: 10_000 } },
      { type: 'usage', offset: 2, usage: { ...base, ...tokens, costMicroUsd: 0 } },
    ]);
  }
});

test('a permission is answered by the kind of its options, and the tool asked about is known', async () => {
  const steps = [
    {
      askPermission: {
        title: 'rm -rf build',
        ifAllowed: [{ write: { allowed: '' } }],
        ifRejected: [{ write: { rejected: '' } }],
      },
    },
    { say: 'ok' },
  ];
  await using yes = await openFake({ steps }, 'acp');
  const { events } = await run(yes.runner);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'permission_requested', title: 'rm -rf build', decision: 'allowed' }),
  );
  expect(existsSync(path.join(yes.folder, 'allowed'))).toBe(true);
  const asked: unknown[] = [];
  await using no = await openFake({ steps }, 'acp', {
    permission: (request) => (asked.push(request), 'deny'),
  });
  await run(no.runner);
  expect(asked).toEqual([{ title: 'rm -rf build', kind: 'execute', paths: [] }]);
  expect(existsSync(path.join(no.folder, 'rejected'))).toBe(true);
});

test.each([
  ['an answer that takes its time', 'allowed', () => Promise.resolve('allow' as const)],
  ['nobody who could answer', 'rejected', () => Promise.reject(new Error('the guard is broken'))],
])('a permission with %s is %s', async (_, outcome, permission) => {
  const asking = {
    title: 'rm -rf build',
    ifAllowed: [{ write: { allowed: '' } }],
    ifRejected: [{ write: { rejected: '' } }],
  };
  await using fake = await openFake({ steps: [{ askPermission: asking }, { say: 'ok' }] }, 'acp', {
    permission,
  });
  const { finished } = await run(fake.runner);
  expect(finished.outcome).toBe('done');
  expect(existsSync(path.join(fake.folder, outcome))).toBe(true);
});

test.each([
  [
    'a login that is missing',
    { acp: { failOn: { 'session/new': { code: -32000, message: 'Authentication required' } } } },
    { outcome: 'not_logged_in' },
  ],
  [
    'a session that cannot be opened',
    { acp: { failOn: { 'session/new': { code: -32603, message: 'no disk' } } } },
    { outcome: 'spawn_failed', summary: 'The agent could not open a session: no disk' },
  ],
  [
    'an end before it was ready',
    { acp: { exitOn: ['initialize'] } },
    { outcome: 'spawn_failed', exitCode: 1 },
  ],
  [
    'a limit told by its kind',
    { steps: [{ fail: { message: 'resets Jan 1, 2030, 12am (UTC)', data: { errorKind: 'rate_limit' } } }] },
    { outcome: 'rate_limited', resetAt: '2030-01-01T00:00:00.000Z' },
  ],
  ['an HTTP 429 passed on', { steps: [{ fail: { code: 429 } }] }, { outcome: 'rate_limited', resetAt: null }],
  [
    'an HTTP 401 passed on',
    { steps: [{ fail: { code: 401, message: 'Invalid API key' } }] },
    { outcome: 'not_logged_in' },
  ],
  [
    'an error of the provider',
    { steps: [{ fail: { message: 'boom' } }] },
    { outcome: 'failed', abortReason: 'provider_error', summary: 'boom' },
  ],
  [
    'a limit reported as success',
    {
      steps: [
        { say: 'You hit your limit' },
        {
          stop: {
            reason: 'end_turn',
            meta: {
              jetbrains: {
                air: {
                  version: 1,
                  sessionFailure: {
                    category: 'limit',
                    severity: 'error',
                    title: 'try again at Jan 1st, 2030 12:00 AM.',
                  },
                },
              },
            },
          },
        },
      ],
    },
    { outcome: 'rate_limited', resetAt: expect.any(String) },
  ],
  ['a turn that ends without a word', { steps: [] }, { outcome: 'failed', abortReason: 'provider_error' }],
  ['a refusal', { steps: [{ say: 'no' }, { stop: 'refusal' }] }, { outcome: 'failed', abortReason: null }],
  ['a crash at once', { steps: [{ exit: 5 }] }, { outcome: 'spawn_failed', exitCode: 5 }],
  [
    'a crash after a tool',
    { steps: [{ toolCall: { title: 'x' } }, { exit: 5 }] },
    { outcome: 'crashed', abortReason: 'unknown', exitCode: 5 },
  ],
  [
    'a SIGKILL that is not ours',
    { steps: [{ toolCall: { title: 'x' } }, { crash: 'SIGKILL' }] },
    { outcome: 'crashed', abortReason: 'oom' },
  ],
  [
    'words about failures',
    { steps: [{ say: 'Error: 429 rate limit, unauthorized, exit code 1' }] },
    { outcome: 'done' },
  ],
] as const)('%s is recognised by structure', async (_what, script, expected) => {
  await using a = await openFake(script as Parameters<typeof openFake>[0], 'acp');
  const { finished } = await run(a.runner);
  expect(finished).toMatchObject(expected);
});

test('a task out of time is cancelled by protocol, then its process ends; the next task gets a new one', async () => {
  await using a = await openFake(
    {
      tasks: {
        slow: { steps: [{ toolCall: { title: 'sleep', status: 'in_progress' } }, { hang: true }] },
        quick: { steps: [{ say: 'ok' }] },
      },
    },
    'acp',
  );
  const slow = await run(a.runner, task('slow', { timeoutMs: 1_500 }));
  expect(slow.finished).toMatchObject({ outcome: 'timeout', abortReason: 'timeout' });
  expect(slow.types).toEqual(['ready', 'tool_started', 'tool_completed', 'unmeasured', 'finished']);
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
  const quick = await run(a.runner, task('quick'));
  expect(quick.finished.outcome).toBe('done');
  expect(quick.spawned[0]?.pid).not.toBe(slow.spawned[0]?.pid);
});

test('an agent that ignores cancel, a closed stdin and SIGTERM is killed with its grandchild', async () => {
  const script = {
    ignoreSignals: ['SIGTERM' as const],
    acp: { survivesStdinClose: true },
    steps: [
      { grandchild: { ignoreSigterm: true } },
      { ignoreCancel: true as const },
      { hang: true as const },
    ],
  };
  await using a = await openFake(script, 'acp');
  const stop = new AbortController();
  const running = run(a.runner, task('x', { signal: stop.signal }));
  await until(() => listProcessesWithMarker(a.marker).length === 2, { what: 'agent and grandchild run' });
  stop.abort('parent_aborted');
  expect((await running).finished).toMatchObject({ outcome: 'cancelled', abortReason: 'parent_aborted' });
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
});

test('an agent that never answers initialize is ended when its time is up', async () => {
  await using a = await openFake({ acp: { hangOn: ['initialize'] } }, 'acp');
  expect((await run(a.runner, task('x', { timeoutMs: 1_000 }))).finished).toMatchObject({
    outcome: 'spawn_failed',
    abortReason: 'timeout',
  });
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
});

test('lines that are no JSON, unknown updates and split characters do no harm', async () => {
  const update = { sessionUpdate: 'of_a_later_version', anything: 1 };
  await using a = await openFake(
    {
      steps: [
        { raw: 'warning: not json\n' },
        { update },
        { update: { sessionUpdate: 'tool_call', toolCallId: 't9' } },
        { splitUtf8: 'grüße 🌍' },
      ],
    },
    'acp',
  );
  const { finished, events } = await run(a.runner);
  expect(finished).toMatchObject({ outcome: 'done', summary: 'grüße 🌍' });
  expect(events).toContainEqual({ type: 'tool_started', toolId: 't9', title: 'tool', kind: 'other' });
});

test('an agent that goes in circles is warned about, then ended', async () => {
  const steps = Array.from({ length: 60 }, () => ({ toolCall: { title: 'npm test', kind: 'execute' } }));
  await using a = await openFake({ steps: [...steps, { hang: true }] }, 'acp');
  const { finished, events } = await run(a.runner);
  expect(finished).toMatchObject({
    outcome: 'failed',
    abortReason: 'unknown',
    summary: expect.stringContaining('in circles'),
  });
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'message', kind: 'notice', text: expect.stringContaining('8 times') }),
  );
});

test('a flood of messages leaves bounded events', async () => {
  await using a = await openFake({ steps: [{ flood: { bytes: 20 * 1024 * 1024 } }, { say: 'end' }] }, 'acp');
  const { finished, events } = await run(a.runner);
  expect(finished.summary.endsWith('end')).toBe(true);
  expect(JSON.stringify(events).length).toBeLessThan(1024 * 1024);
});

test('an agent that was killed between two tasks is started again', async () => {
  await using a = await openFake({ steps: [{ say: 'ok' }] }, 'acp');
  const first = await run(a.runner);
  const pid = first.spawned[0]?.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  await until(() => !isAlive({ pid, pidStarted: null }), { what: 'it is dead' });
  const second = await run(a.runner);
  expect(second.finished.outcome).toBe('done');
  expect(second.spawned[0]?.pid).not.toBe(first.spawned[0]?.pid);
});

test('usage that it reports after its answer, or in a line with a bare NaN, is passed on', async () => {
  const late = { sessionUpdate: 'usage_update', used: 1, size: 9, cost: { amount: 0.5, currency: 'USD' } };
  const line = JSON.stringify({ method: 'session/update', params: { sessionId: 's', update: late } });
  await using a = await openFake(
    { steps: [{ say: 'x' }, { raw: `${line.replace('0.5', 'NaN')}\n` }, { update: late }] },
    'acp',
  );
  const { events } = await run(a.runner);
  expect(events).toContainEqual({
    type: 'unmeasured',
    reason: 'It reported its usage in a message that is not JSON.',
  });
  expect(events.flatMap((event) => (event.type === 'usage' ? [event.usage.costMicroUsd] : []))).toEqual([
    500_000,
  ]);
});
