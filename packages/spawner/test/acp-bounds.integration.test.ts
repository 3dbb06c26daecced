import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { redactor } from '../src/index.ts';
import { openFake, run } from './support/agents.ts';

const many = 3_000;

test('titles, ids, kinds and plans of any size leave events of bounded size', async () => {
  const call = (id: string) => ({
    ...{ sessionUpdate: 'tool_call', toolCallId: id, title: `word ${'x'.repeat(many)}` },
    ...{ kind: 'y '.repeat(many), rawInput: { text: 'z'.repeat(many) } },
  });
  const done = (id: string) => ({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' });
  const [one, two] = ['1', '2'].map((end) => 'i'.repeat(many) + end);
  const plan = (entries: unknown[]) => ({ update: { sessionUpdate: 'plan', entries } });
  const steps = [
    ...[call(one ?? ''), call(two ?? ''), done(one ?? '')].map((update) => ({ update })),
    plan(Array.from({ length: 1_000 }, (_, n) => ({ content: `step ${n}` }))),
    plan([{ content: 'a '.repeat(many) }]),
    { say: 'ok' },
  ];
  await using a = await openFake({ steps }, 'acp');
  const { finished, events } = await run(a.runner);
  expect(finished).toMatchObject({ outcome: 'done', summary: 'ok' });
  expect(JSON.stringify(events).length).toBeLessThan(8_000);
  const [first, second, ended] = events.filter(({ type }) => type.startsWith('tool_')) as {
    toolId: string;
  }[];
  expect(first).toMatchObject({ title: 'word …' });
  expect(first?.toolId).not.toBe(second?.toolId);
  expect(ended?.toolId).toBe(first?.toolId);
});

test.each([
  [
    'between two pieces of a long message',
    (secret: string) => [
      { say: 'word '.repeat(409) },
      ...[secret.slice(0, 10), secret.slice(10), ' and more'].map((say) => ({ say })),
    ],
  ],
  [
    'where the output of a tool is cut',
    (secret: string) => [
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: 't',
          title: 'x',
          status: 'completed',
          rawOutput: `${'word '.repeat(398)}${secret} end`,
        },
      },
      { say: 'ok' },
    ],
  ],
  [
    'where a title is cut',
    (secret: string) => [
      {
        update: { sessionUpdate: 'tool_call', toolCallId: 't', title: `${'word '.repeat(198)}${secret} end` },
      },
      { say: 'ok' },
    ],
  ],
])('a secret that lies %s is redacted whole', async (_where, stepsOf) => {
  const secret = 'hunter2-hunter2-hunter2-hunter2';
  await using a = await openFake({ steps: stepsOf(secret) }, 'acp', {
    redact: redactor({ DEPLOY_TOKEN: secret }),
  });
  const { events, finished } = await run(a.runner);
  expect(finished.outcome).toBe('done');
  const written = JSON.stringify(events) + readFileSync(a.logFile, 'utf8');
  expect(written).toContain('word word');
  expect(written).not.toContain('hunter2');
});

test('a secret where the summary begins is redacted whole', async () => {
  const secret = 'hunter2-hunter2-hunter2-hunter2';
  const steps = [{ say: `first ${secret} ` }, { say: `${'word '.repeat(797)}end` }];
  await using a = await openFake({ steps }, 'acp', { redact: redactor({ DEPLOY_TOKEN: secret }) });
  const { finished } = await run(a.runner);
  expect(finished.summary).toMatch(/^word .* end$/);
});
