import { BatonError } from '@baton/contracts';
import { readFile, realpath } from 'node:fs/promises';
import { createRequire, findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtinPlugins } from './builtin/all.ts';
import { parseOptions, type PluginEntry } from './host.ts';
import { shareOwnCopies } from './own-copies.ts';
import { definePlugin, isPlugin, type Plugin } from './plugin.ts';
import { pluginDefinition } from './plugin-definition.ts';

/** An entry under `plugins` in `baton.yaml`. */
export interface ConfiguredPlugin {
  /** Name of a built-in plugin, `./path` of a module below the repository, or a package. */
  name: string;
  options?: unknown;
}

/**
 * Finds the configured plugins, in order, and checks their options. A module exports its plugin as `plugin` or as default,
 * made by `definePlugin` or as a plain object of that form; it may import `@baton/plugins` and `zod` without an installation.
 *
 * @param options.resolveFrom absolute folder that paths and packages are resolved from
 * @throws PLUGIN_INVALID naming entry, file and reason, when there is no such module, it exports no plugin or its options are wrong
 */
export async function loadPlugins(options: {
  entries: readonly ConfiguredPlugin[];
  resolveFrom: string;
}): Promise<PluginEntry[]> {
  const loaded: PluginEntry[] = [];
  for (const { name, options: given } of options.entries) {
    const plugin = builtinPlugins.get(name) ?? (await importPlugin(name, options.resolveFrom));
    const entry = { plugin, options: given };
    parseOptions(entry);
    loaded.push(entry);
  }
  return loaded;
}

async function importPlugin(name: string, folder: string): Promise<Plugin> {
  const file = await locate(name, folder).catch((cause: unknown) => {
    if (BatonError.is(cause)) throw cause;
    const missing = isPath(name)
      ? { what: `there is no such file in ${folder}`, fix: 'Correct the path under "plugins" in baton.yaml.' }
      : { what: `it is not installed in ${folder}`, fix: otherNames() };
    throw refused(name, { ...missing, cause });
  });
  shareOwnCopies();
  const module: Record<string, unknown> = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    const shown = cause instanceof SyntaxError ? ` (\`node --check ${file}\` shows the line)` : '';
    const fix = `Correct ${file}${shown}; \`baton plugins list\` tries again.`;
    throw refused(name, { what: `it cannot be loaded: ${messageOf(cause)}`, fix, cause });
  });
  const exported = [module['plugin'], module['default']];
  const found = exported.find(isPlugin);
  if (found !== undefined) return found;
  const written = exported.find((one) => typeof one === 'object' && one !== null);
  if (written === undefined)
    throw refused(name, {
      what: `${file} exports no "plugin"`,
      fix: "Write `export const plugin = { name: 'mine', version: '1.0.0', setup(api) {} };` in it.",
    });
  return fromObject(name, { written, file });
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
  (cause instanceof Error ? cause.message : String(cause)).replace(/\n[\s\S]*/, '').replace(/\.$/, '');

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
