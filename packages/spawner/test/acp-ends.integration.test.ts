import { expect, test } from 'vitest';
import type { AgentEvent } from '@baton/contracts';
import { openIn, run } from './support/agents.ts';

/** An agent over ACP whose answer to a method is JavaScript of the test: `say(result)`, `fail(error)`, `raw(text, then)`, `update(update)`. */
const playing = (acts: Record<string, string>): [string, ...string[]] => [
  process.execPath,
  '--eval',
  `const acts = { initialize: 'say({ protocolVersion: 1, agentInfo: { name: agent } })', 'session/new': 'say({ sessionId: "s" })', ...${JSON.stringify(acts)} };
  const agent = ${JSON.stringify(acts['agent'] ?? 'some')};
  const raw = (text, then) => process.stdout.write(text, then);
  const send = (message, then) => raw(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n', then);
  const update = (update) => send({ method: 'session/update', params: { sessionId: 's', update } });
  const talk = () => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Made it.' } });
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const say = (result, then) => send({ id, result }, then);
    const fail = (error, then) => send({ id, error }, then);
    const err = (text, then) => process.stderr.write(text, then);
    if (method in acts) eval(acts[method]);
  });`,
];

const tokensOf = (events: readonly AgentEvent[]): number =>
  events.reduce(
    (sum, one) => sum + (one.type === 'usage' ? one.usage.inputTokens + one.usage.outputTokens : 0),
    0,
  );

const limit = '{ code: 429, message: "You are out of messages until noon." }';

test.each([
  ['session/prompt', limit, 'process.exit(1)', 'rate_limited', 'You are out of messages until noon.'],
  ['session/prompt', limit, 'process.exit(0)', 'rate_limited', 'You are out of messages until noon.'],
  [
    'session/prompt',
    '{ code: -32603, message: "boom" }',
    'process.kill(process.pid, "SIGKILL")',
    'failed',
    'boom',
  ],
  [
    'session/new',
    '{ code: -32000, message: "No key." }',
    'process.exit(41)',
    'not_logged_in',
    'The agent is not logged in: No key.',
  ],
  [
    'session/new',
    '{ code: -32603, message: "boom" }',
    'process.exit(0)',
    'spawn_failed',
    'The agent could not open a session: boom',
  ],
])(
  'an agent that answers %s with the error %s and then ends by %s gives the reason in its own words',
  async (method, error, end, outcome, summary) => {
    await using a = await openIn({ acp: playing({ [method]: `fail(${error}, () => ${end})` }) });
    expect((await run(a.runner)).finished).toMatchObject({ outcome, summary });
  },
);

test.each([
  ['session/new', 'process.exit(3)', 'spawn_failed'],
  ['session/prompt', 'process.exit(0)', 'spawn_failed'],
  ['session/prompt', 'talk(), process.exit(7)', 'spawn_failed'],
])(
  'an agent that ends at %s by %s without an answer is never done, and the end of what it printed says why',
  async (method, end, outcome) => {
    const act = `err('\\x1b[31mFatal: the licence sk-secret-4711 has\\n  expired\\x1b[0m\\n', () => { ${end} })`;
    await using a = await openIn(
      { acp: playing({ [method]: act }) },
      { redact: (text) => text.replaceAll('sk-secret-4711', '***') },
    );
    const { finished } = await run(a.runner);
    expect(finished.outcome).toBe(outcome);
    expect(finished.summary).toMatch(/with exit code \d+ .*Fatal: the licence \*\*\* has\s+expired/s);
    expect(finished.summary).not.toContain('\x1b');
  },
);

test('an answer with numbers that JSON does not have ends the turn, and its spending counts as unmeasured', async () => {
  const act = `talk(); raw('{"jsonrpc":"2.0","id":' + id + ',"result":{"stopReason":"end_turn","note":"a NaN: NaN, \\\\"x","usage":{"inputTokens":NaN,"outputTokens":-Infinity}}}\\n')`;
  await using a = await openIn({ acp: playing({ 'session/prompt': act }) });
  const { finished, events } = await run(a.runner);
  expect(finished).toMatchObject({ outcome: 'done', summary: 'Made it.' });
  expect(events.filter(({ type }) => type === 'unmeasured')).not.toEqual([]);
});

test.each([
  ['a byte order mark before the first line', `raw('\\ufeff'); say({ protocolVersion: 1 })`],
  [
    'lines that end as on Windows',
    `raw(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } }) + '\\r\\n')`,
  ],
])('an agent that answers with %s is understood', async (_what, hello) => {
  const act = `talk(); say({ stopReason: 'end_turn', usage: { inputTokens: 5, outputTokens: 2 } })`;
  await using a = await openIn({ acp: playing({ initialize: hello, 'session/prompt': act }) });
  expect((await run(a.runner)).finished).toMatchObject({ outcome: 'done', summary: 'Made it.' });
});

test.each(['process.exit(1)', 'process.kill(process.pid, "SIGKILL")'])(
  'work that was answered is done and counted once, though it is answered twice and the process then ends by %s',
  async (end) => {
    const answer = (tokens: number) =>
      `say({ stopReason: 'end_turn', usage: { inputTokens: ${tokens}, outputTokens: 0 } })`;
    const act = `talk(); ${answer(5)}; ${answer(70)}; raw('not json', () => ${end})`;
    await using a = await openIn({ acp: playing({ 'session/prompt': act }) });
    const { finished, events } = await run(a.runner);
    expect(finished).toMatchObject({ outcome: 'done', summary: 'Made it.' });
    expect(tokensOf(events)).toBe(5);
  },
);
