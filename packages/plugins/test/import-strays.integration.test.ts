import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runProgram, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';

const source = (file: string) => new URL(`../src/${file}`, import.meta.url).href;

/** What a program prints and ends with that loads a module, twice, and then sets its plugin up. */
async function use(module: string, { required = false, extension = 'mjs' } = {}) {
  await using folder = await tempDir();
  const plugin = `{ name: 'early', version: '1.0.0', required: ${required}, setup() {} }`;
  const exported = extension === 'cjs' ? 'exports.plugin =' : 'export const plugin =';
  await writeFile(
    path.join(folder.path, 'other.mjs'),
    `setTimeout(() => { throw new Error('nobody waits'); }, 5);`,
  );
  await writeFile(path.join(folder.path, `early.${extension}`), `${module}\n${exported} ${plugin};`);
  const program = `import { createPluginBus, loadPlugins } from '${source('index.ts')}';
    const lines = [];
    const log = (message, fields) => lines.push({ message, ...fields });
    const load = () => loadPlugins({ entries: [{ name: './early.${extension}' }], resolveFrom: '${folder.path}', loadingMs: 300 });
    const said = await load().then(([{ module }]) => module.strays.map(String), (error) => error.message);
    const plugins = await load().catch(() => []);
    const bus = createPluginBus({ plugins, directory: '/nonexistent',
      log: { info: log, warn: log, error: log }, clock: { now: () => new Date(), monotonicMs: () => 0 } });
    await bus.setup();
    setTimeout(() => console.log(JSON.stringify({ said, lines, reports: bus.report() })), 50);`;
  const file = path.join(folder.path, 'program.mjs');
  await writeFile(file, program);
  const { exitCode, stdout, stderr } = await runProgram(
    [process.execPath, '--conditions=@baton/source', '--no-warnings', file],
    { cwd: folder.path, env: { PATH: process.env['PATH'] ?? '' }, timeoutMs: 30_000 },
  );
  return {
    exitCode,
    stderr,
    ...(JSON.parse(stdout || '{}') as { said?: unknown; lines?: unknown; reports?: unknown }),
  };
}

test.each([
  ['a promise', `void Promise.reject(new Error('nobody waits'));`, 'mjs'],
  ['a promise after an await', `await null; void Promise.reject(new Error('nobody waits'));`, 'mjs'],
  ['a timer', `setTimeout(() => { throw new Error('nobody waits'); }, 5);`, 'mjs'],
  ['a timer of CommonJS', `setTimeout(() => { throw new Error('nobody waits'); }, 5);`, 'cjs'],
  ['a timer of a module that it imports', `import './other.mjs';`, 'mjs'],
  [
    'an emitter',
    `import { EventEmitter } from 'node:events'; setImmediate(() => new EventEmitter().emit('error', new Error('nobody waits')));`,
    'mjs',
  ],
])('%s that fails while a module is imported is its plugin’s failure', async (_what, module, extension) => {
  const { exitCode, stderr, lines, reports } = await use(module, { extension });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const told = { plugin: 'early', error: 'nobody waits' };
  expect(lines).toEqual([expect.objectContaining(told)]);
  expect(reports).toMatchObject([{ name: 'early', state: 'ready', failures: 1, lastError: 'nobody waits' }]);
});

test('what failed during the import is in the entry before anything is set up', async () => {
  const { said } = await use(`void Promise.reject(new Error('nobody waits'));`);
  expect(said).toEqual(['Error: nobody waits']);
});

test('a module that is never loaded is refused by name after its time, and the process continues', async () => {
  const { exitCode, said } = await use('await new Promise(() => {});');
  expect(exitCode).toBe(0);
  expect(said).toBe(
    'The plugin "./early.mjs" cannot be used: it cannot be loaded: Its module gave no answer within 300 ms.',
  );
});
