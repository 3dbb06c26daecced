import { BatonError, shellWord } from '@baton/contracts';
import { readFile, realpath } from 'node:fs/promises';
import { createRequire, findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtinPlugins } from './builtin/all.ts';
import { checkLoadOptions } from './checked.ts';
import { withDeadline } from './deadline.ts';
import { failureText } from './failure-text.ts';
import { parseOptions, type PluginEntry } from './host.ts';
import { shareOwnCopies } from './own-copies.ts';
import { definePlugin, isPlugin, type Plugin } from './plugin.ts';
import { pluginDefinition } from './plugin-definition.ts';
import { printAside } from './print-aside.ts';
import { keepStrays, moduleOwner, runAs, type ModuleOwner } from './strays.ts';

/** An entry under `plugins` in `baton.yaml`. */
export interface ConfiguredPlugin {
  /** Name of a built-in plugin, `./path` of a module below the repository, or a package. */
  name: string;
  options?: unknown;
}

const loadingMs = 30_000;
/** By file: like the module itself, once in a process. */
const owners = new Map<string, ModuleOwner>();

/**
 * Finds the configured plugins, in order, and checks their options. A module exports its plugin as `plugin` or as default,
 * made by `definePlugin` or as a plain object of that form; it may import `@baton/plugins` and `zod` without an installation.
 * What a module starts and does not wait for while it is imported does not end the process: it is in `module.strays` of its
 * entry, and a failure of the plugin as soon as that is set up. What code of plugins prints goes to stderr from then on.
 *
 * @param options.resolveFrom absolute folder that paths and packages are resolved from
 * @param options.loadingMs longest time until a module is loaded; 30 000 when left out
 * @throws PLUGIN_INVALID naming entry, file and reason, when there is no such module, it is not loaded in time, it
 * exports no plugin or its options are wrong; INVALID_INPUT for options that are none
 */
export async function loadPlugins(options: {
  entries: readonly ConfiguredPlugin[];
  resolveFrom: string;
  loadingMs?: number;
}): Promise<PluginEntry[]> {
  checkLoadOptions(options);
  const loaded: PluginEntry[] = [];
  for (const { name, options: given } of options.entries) {
    const plugin = builtinPlugins.get(name);
    const found = plugin === undefined ? await importPlugin(name, options) : { plugin };
    const entry = { ...found, options: given };
    parseOptions(entry);
    loaded.push(entry);
  }
  return loaded;
}

async function importPlugin(
  name: string,
  { resolveFrom: folder, loadingMs: ms = loadingMs }: { resolveFrom: string; loadingMs?: number },
): Promise<Required<Pick<PluginEntry, 'plugin' | 'module'>>> {
  const file = await locate(name, folder).catch((cause: unknown) => {
    if (BatonError.is(cause)) throw cause;
    const missing = isPath(name)
      ? { what: `there is no such file in ${folder}`, fix: 'Correct the path under "plugins" in baton.yaml.' }
      : { what: `it is not installed in ${folder}`, fix: otherNames() };
    throw refused(name, { ...missing, cause });
  });
  shareOwnCopies();
  const owner = owners.get(file) ?? moduleOwner();
  owners.set(file, owner);
  keepStrays();
  printAside();
  const exports = await withDeadline(() => importAs(owner, file), { ms, what: 'Its module' }).catch(
    (cause: unknown) => {
      const shown =
        cause instanceof SyntaxError ? ` (\`node --check ${shellWord(file)}\` shows the line)` : '';
      const fix = `Correct ${file}${shown}; \`baton plugins list\` tries again.`;
      throw refused(name, { what: `it cannot be loaded: ${messageOf(cause)}`, fix, cause });
    },
  );
  const exported = exportedBy(exports);
  const found = exported.find(isPlugin);
  if (found !== undefined) return { plugin: found, module: owner };
  const written = exported.find((one) => typeof one === 'object' && one !== null);
  if (written === undefined)
    throw refused(name, {
      what: `${file} exports no "plugin"`,
      fix: "Write `export const plugin = { name: 'mine', version: '1.0.0', setup(api) {} };` in it.",
    });
  return { plugin: fromObject(name, { written, file }), module: owner };
}

/** What may be the plugin of a module. Of CommonJS, the default is all that it exports, a default of its own included. */
function exportedBy({ plugin, default: whole }: Record<string, unknown>): unknown[] {
  if (typeof whole !== 'object' || whole === null || isPlugin(whole)) return [plugin, whole];
  const inner = whole as Record<string, unknown>;
  return [plugin, inner['plugin'], inner['default'], whole];
}

/** Imports a module as code of its plugin, and waits until Node has told what strayed right away. */
async function importAs(owner: ModuleOwner, file: string): Promise<Record<string, unknown>> {
  const exports = (await runAs(owner, () => import(pathToFileURL(file).href))) as Record<string, unknown>;
  await new Promise((resolve) => setImmediate(resolve));
  return exports;
}

/** A plugin that is written without `definePlugin`. */
function fromObject(name: string, { written, file }: { written: object; file: string }): Plugin {
  try {
    return definePlugin(pluginDefinition(written));
  } catch (cause) {
    const fix = `Correct the plugin in ${file}; \`baton plugins list\` tries again.`;
    throw refused(name, { what: messageOf(cause), fix, cause });
  }
}

async function locate(name: string, folder: string): Promise<string> {
  if (!isPath(name)) return locatePackage(name, folder);
  const [root, file] = await Promise.all([realpath(folder), realpath(path.resolve(folder, name))]);
  // Only what is in the repository was reviewed with it.
  if (!file.startsWith(`${root}${path.sep}`))
    throw refused(name, { what: 'it lies outside the repository', fix: 'Move it into the repository.' });
  return file;
}

const isPath = (name: string): boolean => /^\.{1,2}\//.test(name) || path.isAbsolute(name);

async function locatePackage(name: string, folder: string): Promise<string> {
  const anchor = path.join(folder, 'package.json');
  try {
    return createRequire(anchor).resolve(name);
  } catch (error) {
    // A package with an "import" condition only: `require.resolve` does not see its entry.
    const manifest = findPackageJSON(name, pathToFileURL(anchor));
    if (manifest === undefined) throw error;
    const { exports } = JSON.parse(await readFile(manifest, 'utf8')) as { exports?: unknown };
    const entry = importEntry(exports);
    if (entry === null) throw error;
    return path.join(path.dirname(manifest), entry);
  }
}

function importEntry(exports: unknown): string | null {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return null;
  const conditions = exports as Record<string, unknown>;
  return importEntry(conditions['.'] ?? conditions['node'] ?? conditions['import'] ?? conditions['default']);
}

const messageOf = (cause: unknown): string =>
  failureText(cause)
    .replace(/\n[\s\S]*/, '')
    .replace(/\.$/, '');

const otherNames = (): string =>
  `Install it there, or use a built-in plugin (${[...builtinPlugins.keys()].join(', ')}) or a file such as ./tools/mine.mjs.`;

function refused(
  name: string,
  { what, fix, cause }: { what: string; fix: string; cause?: unknown },
): BatonError {
  return new BatonError('PLUGIN_INVALID', `The plugin "${name}" cannot be used: ${what}.`, {
    fix,
    at: name,
    ...(cause === undefined ? {} : { cause }),
  });
}
