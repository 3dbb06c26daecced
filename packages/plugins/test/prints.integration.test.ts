import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runProgram, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { loadPlugins } from '../src/index.ts';

const source = new URL('../src/index.ts', import.meta.url).href;

/** Prints in every way and at every time that a plugin has. */
const chatty = `import { stdout } from 'node:process';
  console.log('said: imported');
  export const plugin = { name: 'chatty', version: '1.0.0', setup(api) {
    console.info('said: set up');
    setTimeout(() => process.stdout.write('said: in a timer\\n'), 5);
    api.intercept('agent:permission', { onError: 'allow' }, async () => {
      await null;
      stdout.write(Buffer.from('said: asked\\n'));
    });
    api.onTeardown(() => console.table([{ said: 'torn down' }]));
  } };`;

const asking = `const nothing = () => {};
  console.log('before');
  const plugins = await loadPlugins({ entries: [{ name: './chatty.mjs' }], resolveFrom: import.meta.dirname });
  const bus = createPluginBus({ plugins, directory: '/nonexistent',
    log: { info: nothing, warn: nothing, error: nothing }, clock: { now: () => new Date(), monotonicMs: () => 0 } });
  await bus.setup();
  await bus.intercept('agent:permission', {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  await bus.teardown();
  console.log('after', bus.report().map(({ lastError }) => lastError).join());`;

test('what a plugin prints, whenever and however, goes to stderr, and the answer of the program stays alone on stdout', async () => {
  await using folder = await tempDir();
  const file = path.join(folder.path, 'program.mjs');
  await writeFile(path.join(folder.path, 'chatty.mjs'), chatty);
  await writeFile(file, `import { createPluginBus, loadPlugins } from '${source}';\n${asking}`);
  const { stdout, stderr } = await runProgram(
    [process.execPath, '--conditions=@baton/source', '--no-warnings', file],
    {
      cwd: folder.path,
      env: { PATH: process.env['PATH'] ?? '' },
      timeoutMs: 30_000,
    },
  );
  expect(stdout).toBe('before\nafter \n');
  for (const when of ['imported', 'set up', 'in a timer', 'asked', 'torn down'])
    expect(stderr).toContain(when);
});

test.each([
  ['nothing', 'throw undefined;', 'undefined'],
  ['text', "throw 'no token';", 'no token'],
  ['what is no text', 'throw Object.create(null);', 'no text'],
  [
    'a message that throws',
    'throw new (class extends Error { get message() { throw this; } })();',
    'no text',
  ],
  ['a message that is none', "throw Object.assign(new Error(), { message: ['a', 'b'] });", 'a,b'],
  ['a promise that failed', "await Promise.reject(new Error('later'));", 'later'],
])('a module that throws %s is refused as the plugin that it is', async (_what, text, shown) => {
  await using folder = await tempDir();
  await writeFile(path.join(folder.path, 'thrower.mjs'), `${text}\nexport const plugin = null;\n`);
  const loading = loadPlugins({ entries: [{ name: './thrower.mjs' }], resolveFrom: folder.path });
  await expect(loading).rejects.toMatchObject({
    code: 'PLUGIN_INVALID',
    at: './thrower.mjs',
    message: expect.stringContaining(shown) as string,
  });
});
