import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runProgram, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

const source = (file: string) => new URL(`../src/${file}`, import.meta.url).href;

/** What a program with one plugin prints and ends with: the plugin does `inside` when it is set up, the program does `outside` after it. */
async function run(inside: string, outside: string) {
  await using folder = await tempDir();
  const program = `import { createPluginBus, definePlugin } from '${source('index.ts')}';
    const lines = [];
    const log = (message, fields) => lines.push({ message, ...fields });
    const plugin = definePlugin({ name: 'stray', version: '1.0.0', setup(api) { ${inside} } });
    const bus = createPluginBus({ plugins: [{ plugin }], directory: '/nonexistent',
      log: { info: log, warn: log, error: log }, clock: { now: () => new Date(), monotonicMs: () => 0 } });
    await bus.setup();
    ${outside}
    setTimeout(() => console.log(JSON.stringify({ lines, reports: bus.report() })), 50);`;
  const file = path.join(folder.path, 'program.mjs');
  await writeFile(file, program);
  const argv = [process.execPath, '--conditions=@baton/source', file] as const;
  const { exitCode, stdout, stderr } = await runProgram([...argv], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 30_000,
  });
  return { exitCode, stdout, stderr };
}

test.each([
  ['a promise', `void (async () => { await null; throw new Error('nobody waits'); })();`],
  [
    'a promise that is rejected later',
    `setTimeout(() => void Promise.reject(new Error('nobody waits')), 5);`,
  ],
  ['a timer', `setTimeout(() => { throw new Error('nobody waits'); }, 5);`],
  ['a socket', `import('node:net').then((net) => net.connect('/nowhere/nobody waits'));`],
  ['what is no error', `void Promise.reject({ toString() { throw 1; } }); Promise.reject('nobody waits');`],
])('%s of a plugin that fails with nothing waiting is that plugin’s failure', async (_what, inside) => {
  const { exitCode, stdout, stderr } = await run(inside, '');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { lines, reports } = JSON.parse(stdout) as Record<string, unknown[]>;
  expect(lines).toContainEqual(
    expect.objectContaining({ plugin: 'stray', error: expect.stringContaining('nobody waits') as string }),
  );
  expect(reports).toMatchObject([
    { state: 'ready', lastError: expect.stringContaining('nobody waits') as string },
  ]);
});

const route = `{ runId: 'r', taskId: 't', role: 'docs', agent: null, model: null, effort: null }`;
const event = `{ position: 1, machine: 'task', entityId: 't', runId: null, taskId: 't', taskKey: 'k', taskTitle: 'T', seq: 1,
  from: 'OPEN', to: 'CLAIMED', event: 'CLAIM', alias: null, kind: 'move', actor: 'a', reason: 'r', transitionReason: null,
  abortReason: null, metadata: {}, at: new Date() }`;
const strays = `() => void Promise.reject(new Error('nobody waits'))`;

test.each([
  [
    'an interceptor',
    `api.intercept('cost:beforeRoute', { onError: 'allow' }, ${strays});`,
    `await bus.intercept('cost:beforeRoute', ${route});`,
  ],
  [
    'an observer',
    `api.observe('event:any', ${strays});`,
    `await bus.feed({ read: async (after) => after === 0 ? [${event}] : [], getCursor: async () => 0, setCursor: async () => {} }).drain();`,
  ],
  ['a teardown', `api.onTeardown(${strays});`, 'await bus.teardown();'],
])('what %s starts and does not wait for is its plugin’s', async (_what, inside, outside) => {
  const { exitCode, stdout } = await run(inside, outside);
  expect(exitCode).toBe(0);
  expect((JSON.parse(stdout) as { reports: unknown }).reports).toMatchObject([
    { failures: 1, lastError: 'nobody waits' },
  ]);
});

test.each([
  ['an exception', `setTimeout(() => { throw new Error('our own bug'); }, 5);`],
  ['a rejection', `setTimeout(() => void Promise.reject(new Error('our own bug')), 5);`],
  ['a rejection that is heard nowhere but as an exception', `void Promise.reject(new Error('our own bug'));`],
])('%s of the program itself still ends it, with its stack', async (_what, outside) => {
  const { exitCode, stdout, stderr } = await run('', outside);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toContain('Error: our own bug\n    at ');
});

test('a program that listens itself decides on its own errors, and hears each once', async () => {
  const { exitCode, stdout } = await run(
    '',
    `for (const event of ['uncaughtException', 'unhandledRejection'])
       process.on(event, (error) => console.log(event, error.message));
     setTimeout(() => { throw new Error('thrown'); }, 1);
     setTimeout(() => void Promise.reject(new Error('rejected')), 5);`,
  );
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').slice(0, 2)).toEqual(['uncaughtException thrown', 'unhandledRejection rejected']);
});
