import { execFile } from 'node:child_process';
import { manualClock, tempDir } from '@baton/testkit';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createPluginBus, loadPlugins } from '../src/index.ts';

/** A plugin's module as a third party would write it: plain JavaScript with its own copy of the brand. */
const source = (name: string) => `
const brand = Symbol.for('baton.plugin');
export const plugin = { name: '${name}', version: '1.0.0', required: false, options: null, setup() {}, [brand]: true };
`;

async function writePackage(folder: string, name: string, manifest: object): Promise<void> {
  const root = path.join(folder, 'node_modules', name);
  await mkdir(root, { recursive: true });
  await writeFile(
    path.join(root, 'package.json'),
    JSON.stringify({ name, version: '1.0.0', type: 'module', ...manifest }),
  );
  await writeFile(path.join(root, 'main.js'), source(name));
}

const load = (folder: string, ...names: string[]) =>
  loadPlugins({ entries: names.map((name) => ({ name })), resolveFrom: folder });

test('built-in plugins, files of the repository and packages are found, in the order of the configuration', async () => {
  await using folder = await tempDir();
  await writeFile(path.join(folder.path, 'mine.mjs'), source('mine'));
  await writePackage(folder.path, 'baton-plugin-both', { exports: { '.': { default: './main.js' } } });
  await writePackage(folder.path, 'baton-plugin-import', { exports: { '.': { import: './main.js' } } });
  const names = ['./mine.mjs', 'file-log', 'baton-plugin-both', 'baton-plugin-import', 'task-guard'];
  const entries = await load(folder.path, ...names);
  expect(entries.map(({ plugin }) => plugin.name)).toEqual([
    'mine',
    'file-log',
    'baton-plugin-both',
    'baton-plugin-import',
    'task-guard',
  ]);
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const bus = createPluginBus({ plugins: entries, log: quiet, clock: manualClock(), directory: folder.path });
  expect(await bus.setup()).toEqual({ failures: [] });
  await bus.teardown();
});

test.each([
  ['./none.mjs', 'there is no such file'],
  ['no-such-package', 'not installed'],
  ['./broken.mjs', 'cannot be loaded'],
  ['./lonely.mjs', 'cannot be loaded: Cannot find package .no-such-package.'],
  ['./empty.mjs', 'empty\\.mjs exports no "plugin"'],
  ['./half.mjs', 'version: must be a text .*; setup: must be a function: .*; requird: unknown key'],
  ['./options.mjs', 'options: must be a schema of zod'],
  ['../outside.mjs', 'outside the repository'],
  ['./link.mjs', 'outside the repository'],
])('the entry %s is refused by name: %s', async (name, reason) => {
  await using folder = await tempDir();
  const repository = path.join(folder.path, 'repository');
  await mkdir(repository);
  await writeFile(path.join(folder.path, 'outside.mjs'), source('outside'));
  await symlink(path.join(folder.path, 'outside.mjs'), path.join(repository, 'link.mjs'));
  await writeFile(path.join(repository, 'broken.mjs'), 'export const plugin = {');
  await writeFile(path.join(repository, 'lonely.mjs'), 'import "no-such-package";');
  await writeFile(path.join(repository, 'empty.mjs'), 'export const plug = { name: "x" };');
  await writeFile(path.join(repository, 'half.mjs'), 'export const plugin = { name: "x", requird: true };');
  await writeFile(
    path.join(repository, 'options.mjs'),
    'export const plugin = { name: "x", version: "1", options: {}, setup() {} };',
  );
  await expect(load(repository, name)).rejects.toMatchObject({
    code: 'PLUGIN_INVALID',
    message: expect.stringMatching(`"${name}".*${reason}`),
  });
});

test('wrong options are found before anything is set up', async () => {
  const entries = [{ name: 'task-guard', options: { forbit: [] } }];
  await expect(loadPlugins({ entries, resolveFrom: import.meta.dirname })).rejects.toThrow(
    /unknown key "forbit"/,
  );
});

test('a folder beside the repository with the same beginning is outside of it, by name and by link', async () => {
  await using folder = await tempDir();
  const [repository, beside] = ['app', 'app-2'].map((name) => path.join(folder.path, name));
  await mkdir(repository ?? '');
  await mkdir(beside ?? '');
  await writeFile(path.join(beside ?? '', 'theirs.mjs'), source('theirs'));
  await symlink('../app-2', path.join(repository ?? '', 'link'));
  for (const name of ['../app-2/theirs.mjs', './link/theirs.mjs'])
    await expect(load(repository ?? '', name)).rejects.toThrow('outside the repository');
});

test('a plugin may be the default export, also beside another export of the name', async () => {
  await using folder = await tempDir();
  const asDefault = `${source('mine').replace('export const plugin', 'const mine')}export default mine;\n`;
  await writeFile(path.join(folder.path, 'default.mjs'), asDefault);
  await writeFile(
    path.join(folder.path, 'both.mjs'),
    `${asDefault}export const plugin = { name: 'not one' };\n`,
  );
  const entries = await load(folder.path, './default.mjs', './both.mjs');
  expect(entries.map(({ plugin }) => plugin.name)).toEqual(['mine', 'mine']);
});

test('a module of a repository that installed nothing gets the copies that Baton uses, by import and by require', async () => {
  await using folder = await tempDir();
  const own = `name: 'own', version: '1', options: z.strictObject({ word: z.string() }), setup() {}`;
  await writeFile(
    path.join(folder.path, 'a.mjs'),
    `import { z } from 'zod'; import { definePlugin } from '@baton/plugins'; export const plugin = definePlugin({ ${own} });`,
  );
  await writeFile(
    path.join(folder.path, 'b.cjs'),
    `const { z } = require('zod'); const { definePlugin } = require('@baton/plugins'); exports.plugin = definePlugin({ ${own} });`,
  );
  // In a process of its own: here the test runner finds packages for whoever asks.
  const program = `import { loadPlugins } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
    for (const name of ['./a.mjs', './b.cjs']) {
      const entries = [{ name, options: { word: 'no' } }];
      const [entry] = await loadPlugins({ entries, resolveFrom: ${JSON.stringify(folder.path)} });
      console.log(name, entry.plugin.name);
    }`;
  const args = ['--conditions=@baton/source', '--no-warnings', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder.path });
  expect(stdout).toBe('./a.mjs own\n./b.cjs own\n');
});

test('a module that a compiler turned into CommonJS or TypeScript, or that waits while it is imported, is found alike', async () => {
  await using folder = await tempDir();
  const object = "{ name: 'built', version: '1.0.0', setup() {} }";
  const modules = {
    'default.cjs': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = ${object};`,
    'named.cjs': `Object.defineProperty(exports, '__esModule', { value: true }); exports.plugin = ${object};`,
    'whole.cjs': `module.exports = ${object};`,
    'computed.cjs': `const name = 'plugin'; module.exports = { [name]: ${object} };`,
    'typed.ts': `const made: { name: string } = ${object}; export default made;`,
    'late.mjs': `const made = await Promise.resolve(${object}); export { made as plugin };`,
  };
  for (const [name, text] of Object.entries(modules)) {
    await writeFile(path.join(folder.path, name), text);
    const [entry] = await load(folder.path, `./${name}`);
    expect(entry?.plugin.name, name).toBe('built');
  }
});

test('a plain object is taken as a plugin, with zod for its options though nothing is installed', async () => {
  await using folder = await tempDir();
  await writeFile(
    path.join(folder.path, 'plain.mjs'),
    `import { z } from 'zod';
    export const plugin = {
      name: 'plain', version: '1', options: z.strictObject({ word: z.string() }),
      setup(api) { api.intercept('agent:permission', { onError: 'deny' }, () => ({ deny: api.options.word })); },
    };`,
  );
  const entries = await loadPlugins({
    entries: [{ name: './plain.mjs', options: { word: 'no' } }],
    resolveFrom: folder.path,
  });
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const bus = createPluginBus({ plugins: entries, log: quiet, clock: manualClock(), directory: folder.path });
  expect(await bus.setup()).toEqual({ failures: [] });
  const asked = { runId: 'r', taskId: 't', sessionId: 's', title: 'rm', kind: 'execute' };
  expect(await bus.intercept('agent:permission', asked)).toMatchObject({ ok: false, reason: 'no' });
  await bus.teardown();
  await expect(
    loadPlugins({ entries: [{ name: './plain.mjs', options: { wrod: 'no' } }], resolveFrom: folder.path }),
  ).rejects.toThrow(/An option of the plugin "plain" is not valid: .*unknown key "wrod"/);
});
