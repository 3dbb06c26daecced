import { inParts, listProcessesWithMarker } from '@baton/testkit';
import { expect, test } from 'vitest';
import { openFake, openIn, run, task } from './support/agents.ts';

/** A program that says one line over and over, as fast as it is read, and reads nothing itself. */
const flooding = (line: string): [string, ...string[]] => [
  process.execPath,
  '--eval',
  `let number = 0;
  const line = () => ${line} + '\\n';
  const say = () => { while (process.stdout.write(Array.from({ length: 200 }, line).join(''))); process.stdout.once('drain', say); };
  say();`,
];
const asks = (method: string, params: string) =>
  `JSON.stringify({ jsonrpc: '2.0', id: ++number, method: '${method}', params: ${params} })`;

/** Megabytes of memory that this process has more at most than before, while an agent is at work. */
async function memoryFor(argv: [string, ...string[]]) {
  await using a = await openIn({ acp: argv });
  const before = process.memoryUsage.rss();
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 50);
  const { finished, events } = await run(a.runner, task('x', { timeoutMs: 4_000 }));
  clearInterval(timer);
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
  return { finished, events, megabytes: most / 1e6 };
}

for (const [cases, tagged] of inParts(1, [
  ['lines that are no message', `'y'`],
  ['lines of JSON that are no message', `'7'`],
  [
    'requests for what Baton does not offer',
    asks('fs/read_text_file', `{ sessionId: 's', path: '/etc/passwd' }`),
  ],
  [
    'requests for leave to use a tool',
    asks(
      'session/request_permission',
      `{ sessionId: 's', toolCall: { toolCallId: String(number), title: String(number) }, options: [{ optionId: 'a', kind: 'allow_once' }] }`,
    ),
  ],
]))
  test.each(cases)(
    'an agent that floods with %s and reads no answer takes no memory and has its time',
    { ...tagged, timeout: 30_000 },
    async (_what, line) => {
      const { finished, megabytes } = await memoryFor(flooding(line));
      expect(finished).toMatchObject({ abortReason: 'timeout' });
      expect(megabytes).toBeLessThan(250);
    },
  );

test('an agent that asks for the same leave without end is warned about, then ended', async () => {
  const asking = { askPermission: { title: 'rm -rf build', ifAllowed: [], ifRejected: [] } };
  const steps = [...Array.from({ length: 40 }, () => asking), { hang: true as const }];
  await using a = await openFake({ steps }, 'acp');
  const { finished, events } = await run(a.runner);
  expect(finished).toMatchObject({ outcome: 'failed', summary: expect.stringContaining('in circles') });
  const told = events.filter((event) => event.type === 'message' && event.kind === 'notice');
  expect(told[0]).toMatchObject({ text: 'Loop: the same call 8 times in a row: rm -rf build' });
});

test('an agent that asks before each call that it then makes is not going in circles', async () => {
  const asking = { askPermission: { title: 'npm test', ifAllowed: [], ifRejected: [] } };
  const steps = Array.from({ length: 20 }, (_, n) => [asking, { toolCall: { title: `step ${n}` } }]).flat();
  await using a = await openFake({ steps: [...steps, { say: 'ok' }] }, 'acp');
  expect((await run(a.runner)).finished.outcome).toBe('done');
});
