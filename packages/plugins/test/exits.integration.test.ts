import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { BatonError } from '@baton/contracts';
import { runProgram, tempDir } from '@baton/testkit';
import { expect, test } from 'vitest';
import { loadPlugins } from '../src/index.ts';

const source = new URL('../src/index.ts', import.meta.url).href;
const plugin = (setup: string) =>
  `export const plugin = { name: 'leaver', version: '1.0.0', setup(api) { ${setup} } };`;

/** What a program says and ends with that loads a module and sets its plugin up. */
async function use(module: string) {
  await using folder = await tempDir();
  await writeFile(path.join(folder.path, 'leaver.mjs'), module);
  const program = `import { createPluginBus, loadPlugins } from '${source}';
    const nothing = () => {};
    const load = () => loadPlugins({ entries: [{ name: './leaver.mjs' }], resolveFrom: '${folder.path}' });
    const plugins = await load().catch((error) => (console.log(error.message), []));
    const bus = createPluginBus({ plugins, directory: '/nonexistent',
      log: { info: nothing, warn: nothing, error: nothing }, clock: { now: () => new Date(), monotonicMs: () => 0 } });
    await bus.setup().catch((error) => console.log(error.message));
    await new Promise((resolve) => setTimeout(resolve, 50));
    console.log(bus.report().map(({ lastError }) => lastError).join());
    process.exit(7);`;
  const file = path.join(folder.path, 'program.mjs');
  await writeFile(file, program);
  return await runProgram([process.execPath, '--conditions=@baton/source', '--no-warnings', file], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 30_000,
  });
}

test.each([
  ['while it is imported', `process.exit(0); ${plugin('')}`],
  ['in a module that it imports by name', `import { exit } from 'node:process'; exit(0); ${plugin('')}`],
  ['after an await', `await null; process.exit(0); ${plugin('')}`],
  ['in its set-up', plugin('process.exit(0);')],
  ['in a timer', plugin('setTimeout(() => process.exit(0), 5);')],
  ['in a promise', plugin('void Promise.resolve().then(() => process.exit(0));')],
])(
  'a plugin that ends the process %s fails alone, and Baton ends with its own code',
  async (_when, module) => {
    const { exitCode, stdout } = await use(module);
    expect(stdout).toContain('it called process.exit(0), which would end Baton');
    expect(exitCode).toBe(7);
  },
);

test('the line that is offered for a syntax error is one that a shell runs, wherever the module lies', async () => {
  await using folder = await tempDir();
  await writeFile(path.join(folder.path, "my plug'in.mjs"), 'export const = {};\n');
  const refused: unknown = await loadPlugins({
    entries: [{ name: "./my plug'in.mjs" }],
    resolveFrom: folder.path,
  }).catch((error: unknown) => error);
  const [, line = ''] =
    /`(node --check .*?)` shows/.exec((BatonError.is(refused) && refused.fix) || '') ?? [];
  await expect(promisify(execFile)('sh', ['-c', line])).rejects.toMatchObject({
    stderr: expect.stringContaining("my plug'in.mjs:1"),
  });
});
