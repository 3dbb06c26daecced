import { expect, test } from 'vitest';
import { openFake, openIn, run } from './support/agents.ts';

/** An agent that answers each method with what it is given, as JSON. */
const answering = (answers: Record<string, string>): [string, ...string[]] => [
  process.execPath,
  '--eval',
  `const answers = { initialize: '{"protocolVersion":1}', 'session/new': '{"sessionId":"s"}', ...${JSON.stringify(answers)} };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method in answers) process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + answers[method] + '}\\n');
  });`,
];

test.each([
  ['initialize', '[]', 'a list'],
  ['initialize', '"hello"', 'a text'],
  ['initialize', 'null', 'null'],
  ['session/new', '[]', 'a list'],
  ['session/new', '{}', 'nothing at "sessionId"'],
  ['session/new', '{"sessionId":7}', 'a number at "sessionId"'],
  ['session/prompt', '[{"stopReason":"end_turn"}]', 'a list'],
  ['session/prompt', '"end_turn"', 'a text'],
  ['session/prompt', 'true', 'a boolean'],
])('an agent that answers %s with %s fails with a reason in plain words', async (method, answer, what) => {
  await using a = await openIn({ acp: answering({ [method]: answer }) });
  const { finished } = await run(a.runner);
  const isPrompt = method === 'session/prompt';
  expect(finished.outcome).toBe(isPrompt ? 'failed' : 'spawn_failed');
  expect(finished.summary).toBe(
    `${isPrompt ? '' : 'The agent could not open a session: '}The agent answered ${method} with ${what}. Update the agent, or take another one.`,
  );
});

test.each([0, 2, 20_260_101])(
  'an agent that speaks version %d of the protocol is refused',
  async (version) => {
    await using a = await openIn({ acp: answering({ initialize: `{"protocolVersion":${version}}` }) });
    const { finished } = await run(a.runner);
    expect(finished).toMatchObject({
      outcome: 'spawn_failed',
      summary: expect.stringContaining(
        `speaks version ${version} of the Agent Client Protocol, and Baton speaks version 1`,
      ),
    });
  },
);

const deep = '['.repeat(20_000) + ']'.repeat(20_000);
const updating = (update: string) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":${update}}}`;

test.each([
  ['the input of a call', updating(`{"sessionUpdate":"tool_call","toolCallId":"1","rawInput":${deep}}`)],
  ['an update of a later version', updating(`{"sessionUpdate":"other","data":${deep}}`)],
  ['the id of a request', `{"jsonrpc":"2.0","id":${deep},"method":"fs/read_text_file"}`],
  [
    'leave that is asked for',
    `{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":${deep}}`,
  ],
])('a message that is nested without bound in %s ends the turn with a clear reason', async (_where, line) => {
  await using a = await openFake({ steps: [{ say: 'before' }, { raw: `${line}\n` }, { hang: true }] }, 'acp');
  const { finished } = await run(a.runner);
  expect(finished).toMatchObject({
    outcome: 'failed',
    summary: expect.stringContaining('The agent sent a message that is nested more than 1000 levels.'),
  });
});

test('a message that is nested within the bound is read', async () => {
  const rawInput = JSON.parse('['.repeat(900) + ']'.repeat(900)) as unknown;
  const call = { sessionUpdate: 'tool_call', toolCallId: '1', title: 'x', status: 'completed', rawInput };
  await using a = await openFake({ steps: [{ update: call }, { say: 'ok' }] }, 'acp');
  const { finished, types } = await run(a.runner);
  expect(finished).toMatchObject({ outcome: 'done', summary: 'ok' });
  expect(types).toContain('tool_completed');
});

test('an error of any length leaves a summary of bounded length', async () => {
  await using a = await openFake({ steps: [{ fail: { message: 'word '.repeat(20_000) } }] }, 'acp');
  const { finished } = await run(a.runner);
  expect(finished.outcome).toBe('failed');
  expect(finished.summary).toMatch(/^word .* …$/);
  expect(finished.summary.length).toBeLessThan(10_000);
});
