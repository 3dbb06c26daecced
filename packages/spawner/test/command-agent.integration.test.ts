import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { listProcessesWithMarker, until } from '@baton/testkit';
import { expect, test } from 'vitest';
import { redactor } from '../src/index.ts';
import { openFake, openIn, run, task } from './support/agents.ts';

test('a command gets the prompt on stdin and the task in a file, and exit 0 is done', async () => {
  await using a = await openFake({ steps: [{ record: 'got.json' }, { say: 'all good\n' }] }, 'command');
  const { finished, types, spawned } = await run(a.runner, task('the prompt'));
  const got = JSON.parse(readFileSync(path.join(a.folder, 'got.json'), 'utf8'));
  expect(got).toMatchObject({
    prompt: 'the prompt',
    task: { key: 'task-1', attempt: 1 },
    env: { BATON_RUN_MARKER: a.marker, BATON_PORT_BASE: '21000' },
  });
  expect(Object.keys(got.env).filter((name) => !name.startsWith('BATON_'))).toEqual(['PATH']);
  expect(spawned).toEqual([{ pid: got.pid, pidStarted: expect.any(String) }]);
  expect(finished).toMatchObject({ outcome: 'done', summary: 'all good', exitCode: 0, abortReason: null });
  expect(types).toEqual(['ready', 'message', 'finished']);
  expect(readFileSync(a.logFile, 'utf8')).toBe('all good\n');
});

test.each([
  ['exit code 3', [{ exit: 3 }], 'failed', null],
  ['exit code 124', [{ exit: 124 }], 'timeout', 'timeout'],
  ['exit code 126', [{ exit: 126 }], 'failed', 'permission_denied'],
  ['exit code 127', [{ exit: 127 }], 'missing_binary', null],
  ['exit code 130', [{ exit: 130 }], 'crashed', 'user_interrupt'],
  ['exit code 137', [{ exit: 137 }], 'crashed', 'oom'],
  ['exit code 143', [{ exit: 143 }], 'crashed', 'shutdown_signal'],
  ['a SIGKILL that is not ours', [{ crash: 'SIGKILL' }], 'crashed', 'oom'],
  ['a SIGSEGV', [{ crash: 'SIGSEGV' }], 'crashed', 'unknown'],
] as const)('%s of a command is %s by structure alone', async (_how, steps, outcome, abortReason) => {
  await using a = await openFake(
    { steps: [{ say: '429 rate limit, success, done\n' }, ...steps] },
    'command',
  );
  expect((await run(a.runner)).finished).toMatchObject({ outcome, abortReason });
});

test('a program that is not there is named, with how to get it', async () => {
  await using a = await openIn({ command: ['no-such-tool'] });
  expect((await run(a.runner)).finished).toMatchObject({
    outcome: 'missing_binary',
    exitCode: 127,
    summary: expect.stringContaining('install it'),
  });
  await using b = await openIn({ acp: ['gemini', '--acp'] }, { env: { PATH: '/nonexistent' } });
  expect((await run(b.runner)).finished).toMatchObject({
    outcome: 'missing_binary',
    summary: expect.stringContaining('npm install -g @google/gemini-cli'),
  });
});

test('a command that hangs is ended when its time is up, though it ignores SIGTERM, with its grandchild in a session of its own', async () => {
  await using a = await openFake(
    { ignoreSignals: ['SIGTERM'], steps: [{ grandchild: { ignoreSigterm: true } }, { hang: true }] },
    'command',
  );
  const { finished } = await run(a.runner, task('x', { timeoutMs: 1_500 }));
  expect(finished).toMatchObject({ outcome: 'timeout', abortReason: 'timeout' });
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
});

test('a command without a sign of life counts as hung; one that computes silently lives', async () => {
  const limits = { silenceMs: 1_200, graceMs: 100 };
  await using hung = await openFake({ steps: [{ hang: true }] }, 'command', { limits });
  expect((await run(hung.runner)).finished).toMatchObject({
    outcome: 'timeout',
    summary: expect.stringContaining('No sign of life'),
  });
  await using busy = await openFake({ steps: [{ spin: true }] }, 'command', { limits });
  expect((await run(busy.runner, task('x', { timeoutMs: 4_000 }))).finished).toMatchObject({
    outcome: 'timeout',
    summary: expect.stringContaining('time for the task'),
  });
});

test('the lifetime of the session bounds its tasks', async () => {
  await using a = await openFake({ steps: [{ hang: true }] }, 'command', {
    limits: { lifetimeMs: 700, graceMs: 100 },
  });
  expect((await run(a.runner)).finished.outcome).toBe('timeout');
});

test('what a command leaves behind is ended with it', async () => {
  await using a = await openFake(
    { steps: [{ grandchild: { keepsPipes: true } }, { say: 'bye\n' }] },
    'command',
  );
  expect((await run(a.runner)).finished).toMatchObject({ outcome: 'done', summary: 'bye' });
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
});

test('an abort ends the command with the reason it names', async () => {
  await using a = await openFake({ steps: [{ hang: true }] }, 'command');
  const stop = new AbortController();
  const running = run(a.runner, task('x', { signal: stop.signal }));
  await until(() => listProcessesWithMarker(a.marker).length > 0, { what: 'it runs' });
  stop.abort('sibling_aborted');
  expect((await running).finished).toMatchObject({ outcome: 'cancelled', abortReason: 'sibling_aborted' });
  expect((await run(a.runner, task('x', { signal: stop.signal }))).finished).toMatchObject({
    outcome: 'cancelled',
    exitCode: null,
  });
});

test('one gigabyte of output leaves a bounded log, bounded events, and an outcome', async () => {
  await using a = await openFake(
    { steps: [{ flood: { bytes: 1024 ** 3 } }, { say: 'the end\n' }] },
    'command',
    { limits: { maxLogBytes: 1024 * 1024 } },
  );
  const { finished, events } = await run(a.runner, task('x', { timeoutMs: 50_000 }));
  expect(finished.outcome).toBe('done');
  expect(finished.summary.endsWith('the end')).toBe(true);
  expect(JSON.stringify(events).length).toBeLessThan(512 * 1024);
  expect(statSync(a.logFile).size + statSync(`${a.logFile}.1`).size).toBeLessThanOrEqual(1024 * 1024);
  expect(readFileSync(a.logFile, 'utf8').endsWith('the end\n')).toBe(true);
});

test('characters split between writes are whole, in events and in the log', async () => {
  await using a = await openFake({ steps: [{ splitUtf8: 'grüße 🌍\n' }] }, 'command');
  const { events } = await run(a.runner);
  expect(events.flatMap((event) => (event.type === 'message' ? [event.text] : [])).join('')).toBe(
    'grüße 🌍\n',
  );
  expect(readFileSync(a.logFile, 'utf8')).toBe('grüße 🌍\n');
});

test('a secret never reaches events, summary or log, though it comes in pieces', async () => {
  const canary = 'canary-secret-value-12345';
  await using a = await openFake(
    { steps: [{ splitUtf8: `key=${canary}\n` }, { complain: `${canary}\n` }, { exit: 3 }] },
    'command',
    { redact: redactor([canary]) },
  );
  const { finished, events } = await run(a.runner);
  expect(JSON.stringify([finished, events])).not.toContain(canary);
  const log = readFileSync(a.logFile, 'utf8');
  expect(log).not.toContain(canary);
  expect(log).toContain('key=[redacted]');
});

test('events are handled one at a time, in order, however slow the handler is', async () => {
  await using a = await openFake({ steps: [{ say: 'a\n' }, { complain: 'b\n' }, { say: 'c\n' }] }, 'command');
  const heard: string[] = [];
  let open = 0;
  await a.runner.runTask(task(), {
    async onEvent(event) {
      expect((open += 1)).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      heard.push(event.type);
      open -= 1;
    },
  });
  expect(heard[0]).toBe('ready');
  expect(heard.at(-1)).toBe('finished');
});

test('a handler that throws ends the agent, and its error comes out', async () => {
  await using a = await openFake({ steps: [{ say: 'x\n' }, { hang: true }] }, 'command');
  const lost = new Error('lease lost');
  const running = a.runner.runTask(task(), { onEvent: () => Promise.reject(lost) });
  await expect(running).rejects.toBe(lost);
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
});

test('close while the process of a task is being started ends it, and no task begins afterwards', async () => {
  for (const speaks of ['command', 'acp'] as const) {
    await using a = await openFake({ steps: [{ hang: true }] }, speaks);
    const running = run(a.runner);
    await a.runner.close();
    expect((await running).finished).toMatchObject({ outcome: 'cancelled', abortReason: 'shutdown_signal' });
    expect(listProcessesWithMarker(a.marker)).toEqual([]);
    const after = await run(a.runner);
    expect(after.finished).toMatchObject({ outcome: 'cancelled', summary: 'Ended before it began.' });
    expect(after.spawned).toEqual([]);
  }
});

test('close in the middle of a task ends it', async () => {
  await using a = await openFake({ steps: [{ hang: true }] }, 'command');
  const running = run(a.runner);
  await until(() => listProcessesWithMarker(a.marker).length > 0, { what: 'it runs' });
  await a.runner.close();
  expect((await running).finished).toMatchObject({ outcome: 'cancelled', abortReason: 'shutdown_signal' });
  expect(listProcessesWithMarker(a.marker)).toEqual([]);
});

const word = 'word ';
test.each([
  ['where its summary begins', (secret: string) => [`${word.repeat(50)}${secret} ${word.repeat(398)}`], 3],
  [
    'where the head of its output ends',
    (secret: string) => [`${word.repeat(398)}${secret} `, word.repeat(2_000)],
    0,
  ],
  [
    'where the tail of its output begins',
    (secret: string) => [word.repeat(2_000), `${secret} ${word.repeat(398)}`],
    0,
  ],
] as const)('a secret of a command that lies %s is redacted whole', async (_where, textsOf, code) => {
  const secret = 'hunter2-hunter2-hunter2-hunter2';
  const program = `const texts = JSON.parse(require('node:fs').readFileSync('texts.json', 'utf8'));
    const say = () => texts.length === 0 ? process.exit(${code}) : process.stdout.write(texts.shift() + '\\n', say);
    say();`;
  await using a = await openIn(
    { command: [process.execPath, '--eval', program] },
    { redact: redactor([secret]) },
  );
  writeFileSync(path.join(a.folder, 'texts.json'), JSON.stringify(textsOf(secret)));
  const { events, finished } = await run(a.runner);
  const written = JSON.stringify([events, finished]) + readFileSync(a.logFile, 'utf8');
  expect(written).toContain('word word');
  expect(written).not.toContain('hunter2');
});
