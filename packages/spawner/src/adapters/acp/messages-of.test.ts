import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { flowOf } from './flow.ts';
import { messagesOf, type AcpListener } from './messages-of.ts';

function reading(onUpdate: AcpListener['onUpdate'] = () => undefined) {
  const [stdout, stdin] = [new PassThrough(), new PassThrough()];
  const heard = { signs: 0, unreadable: 0 };
  const listener: AcpListener = {
    onUpdate,
    onPermission: () => null,
    onUnreadable: () => void (heard.unreadable += 1),
    onSign: () => void (heard.signs += 1),
    room: () => null,
  };
  const flow = flowOf(stdout, { onFree: () => undefined });
  flow.sent(1);
  const reader = messagesOf({ stdout, stdin }, { listener: () => listener, flow }).getReader();
  const say = (text: string) => stdout.emit('data', Buffer.from(text));
  const answers = () => String((stdin.read() as Buffer | null) ?? '');
  return { stdout, reader, heard, say, answers };
}

const update = (text: string) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: {
    sessionId: 's',
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  },
});

it('updates are heard at once, other notices are not, and only answers and requests pass', async () => {
  const texts: unknown[] = [];
  const { reader, say, stdout, heard } = reading((one, of) => void texts.push([one, of]));
  const answer = { jsonrpc: '2.0', id: 1, result: {} };
  const lines = [update('one'), { jsonrpc: '2.0', method: '_other' }, answer, update('two')];
  say(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(texts).toMatchObject([
    [{ content: { text: 'one' } }, 's'],
    [{ content: { text: 'two' } }, 's'],
  ]);
  expect(await reader.read()).toEqual({ done: false, value: answer });
  stdout.emit('end');
  expect(await reader.read()).toEqual({ done: true, value: undefined });
  expect(heard).toEqual({ signs: 1, unreadable: 0 });
});

it('what is no message is refused as JSON-RPC says, and usage in numbers that JSON does not have is reported', () => {
  const { say, answers, heard } = reading();
  say('hello\n[1]\n7\n{"usage":{"cost":NaN}}\n\n');
  const codes = answers()
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: null; error: { code: number } }).error.code);
  expect(codes).toEqual([-32_700, -32_600, -32_600, -32_700]);
  expect(heard.unreadable).toBe(1);
});

it('a stream that its reader has cancelled is not closed again when the agent ends', async () => {
  const { reader, stdout } = reading();
  await reader.cancel();
  expect(() => {
    stdout.emit('end');
    stdout.emit('close');
  }).not.toThrow();
});

it('a handler that throws ends the session and nothing else', async () => {
  const { reader, say, stdout } = reading(() => {
    throw new Error('the handler is broken');
  });
  expect(() => {
    say(`${JSON.stringify(update('x'))}\n`);
    say(`${JSON.stringify(update('y'))}\n`);
    stdout.emit('end');
  }).not.toThrow();
  await expect(reader.read()).rejects.toThrow('the handler is broken');
});

it('an answer passes once, and one to what was never asked does not: the SDK would print its id', async () => {
  const { reader, say, stdout } = reading();
  const answers = [7, 1, 1, '\u001b[2J', null].map((id) => ({ jsonrpc: '2.0', id, result: {} }));
  say(answers.map((line) => `${JSON.stringify(line)}\n`).join(''));
  stdout.emit('end');
  expect(await reader.read()).toEqual({ done: false, value: answers[1] });
  expect(await reader.read()).toMatchObject({ done: true });
});

it('an object that is neither a question nor an answer is refused', () => {
  const { say, answers } = reading();
  say('{"jsonrpc":"2.0","result":{}}\n');
  expect(JSON.parse(answers())).toMatchObject({ id: null, error: { code: -32_600 } });
});
