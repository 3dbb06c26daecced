import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';

import * as acp from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';

import { tempDir, until, type FakeScript, type TempDir } from '../src/index.ts';
import { startAgent } from './support.ts';

/** Talks to the fake agent with the official client; permission requests are answered by the given option. */
async function connect(
  script: FakeScript,
  { folder, optionId = 'yes' }: { folder: TempDir; optionId?: string },
) {
  const child = startAgent(script, { cwd: folder.path, launch: { speaks: 'acp' } });
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  const updates: acp.SessionUpdate[] = [];
  const app = acp
    .client({ name: 'test' })
    .onRequest('session/request_permission', () => ({ outcome: { outcome: 'selected', optionId } }))
    .onNotification('session/update', ({ params }) => void updates.push(params.update));
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('no pipes');
  stdin.on('error', () => undefined);
  const stream = acp.ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
  );
  const { agent } = app.connect(stream);
  const greet = async () => {
    const hello = await agent.request('initialize', {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    const { sessionId } = await agent.request('session/new', { cwd: folder.path, mcpServers: [] });
    return { hello, sessionId };
  };
  const { hello, sessionId } = await greet().catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await exit;
    throw error;
  });
  const prompt = (text: string) =>
    agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  return { agent, child, exit, hello, prompt, sessionId, updates };
}

const textOf = (updates: acp.SessionUpdate[]) =>
  updates
    .map((each) =>
      each.sessionUpdate === 'agent_message_chunk' && each.content.type === 'text' ? each.content.text : '',
    )
    .join('');

test('it works through a prompt with messages, a tool call and usage, and ends the turn', async () => {
  await using folder = await tempDir();
  const script: FakeScript = {
    steps: [
      { think: 'hm' },
      { say: 'Working on it. ' },
      { toolCall: { title: 'Write a.txt', kind: 'edit' } },
      { write: { 'a.txt': 'a' } },
      { usage: { inputTokens: 100, outputTokens: 5, costUsd: 0.25 } },
      { usage: { inputTokens: 50, outputTokens: 1, costUsd: 0.25 } },
      { splitUtf8: 'Grüße 🎉' },
    ],
  };
  const { child, exit, hello, prompt, updates } = await connect(script, { folder });
  expect(hello.protocolVersion).toBe(1);
  const end = await prompt('do it');
  expect(end).toMatchObject({
    stopReason: 'end_turn',
    usage: { inputTokens: 150, outputTokens: 6, totalTokens: 156 },
  });
  expect(textOf(updates)).toBe('Working on it. Grüße 🎉');
  const kinds = updates.map((update) => update.sessionUpdate);
  expect(kinds).toEqual([
    ...['agent_thought_chunk', 'agent_message_chunk', 'tool_call', 'tool_call_update'],
    ...['usage_update', 'usage_update', 'agent_message_chunk'],
  ]);
  expect(updates[5]).toMatchObject({ cost: { amount: 0.5, currency: 'USD' } });
  expect(await readFile(path.join(folder.path, 'a.txt'), 'utf8')).toBe('a');
  child.stdin?.end();
  expect(await exit).toEqual([0, null]);
});

test('it asks for permission and heeds the answer', async () => {
  const script: FakeScript = {
    steps: [
      {
        askPermission: {
          title: 'rm -rf',
          ifAllowed: [{ say: 'allowed' }],
          ifRejected: [{ say: 'rejected' }],
        },
      },
    ],
  };
  for (const [optionId, said] of [
    ['yes', 'allowed'],
    ['no', 'rejected'],
  ] as const) {
    await using folder = await tempDir();
    const { child, prompt, updates } = await connect(script, { folder, optionId });
    expect(await prompt('go')).toMatchObject({ stopReason: 'end_turn' });
    expect(textOf(updates)).toBe(said);
    child.stdin?.end();
  }
});

test('a cancel ends a hanging turn, and the next prompt of the session works', async () => {
  await using folder = await tempDir();
  const script = {
    steps: [{ say: 'fine' }],
    tasks: { stuck: { steps: [{ write: { at: '' } }, { hang: true as const }] } },
  };
  const { agent, child, prompt, sessionId, updates } = await connect(script, { folder });
  const first = prompt('be stuck');
  await until(() => access(path.join(folder.path, 'at')).then(() => true), { what: 'the turn hangs' });
  await agent.notify('session/cancel', { sessionId });
  expect(await first).toMatchObject({ stopReason: 'cancelled' });
  expect(await prompt('now this')).toMatchObject({ stopReason: 'end_turn' });
  expect(textOf(updates)).toBe('fine');
  child.stdin?.end();
});

test('it refuses, reports an error of its model, and dies in the middle of a prompt', async () => {
  await using folder = await tempDir();
  const script: FakeScript = {
    tasks: {
      refuse: { steps: [{ stop: { reason: 'refusal', meta: { why: 'policy' } } }] },
      limit: { steps: [{ fail: { message: 'usage limit', data: { errorKind: 'rate_limit' } } }] },
      die: { steps: [{ say: 'about to' }, { exit: 9 }] },
    },
  };
  const { exit, prompt } = await connect(script, { folder });
  expect(await prompt('refuse')).toMatchObject({ stopReason: 'refusal', _meta: { why: 'policy' } });
  await expect(prompt('limit')).rejects.toMatchObject({ code: -32603, data: { errorKind: 'rate_limit' } });
  await expect(prompt('die')).rejects.toThrow();
  expect(await exit).toEqual([9, null]);
});

test('it breaks the protocol outside of prompts when told so', async () => {
  await using folder = await tempDir();
  const acpBehaviour = { failOn: { 'session/new': { code: -32000, message: 'Authentication required' } } };
  const refused = connect({ acp: acpBehaviour }, { folder });
  await expect(refused).rejects.toMatchObject({ code: -32000 });
  await expect(connect({ acp: { exitOn: ['initialize'] } }, { folder })).rejects.toThrow();
});
