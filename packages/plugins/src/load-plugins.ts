import { BatonError } from '@baton/contracts';
import { readFile, realpath } from 'node:fs/promises';
import { createRequire, findPackageJSON } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { builtinPlugins } from './builtin/all.ts';
import { parseOptions, type PluginEntry } from './host.ts';
import { isPlugin, type Plugin } from './plugin.ts';

/** An entry under `plugins` in `baton.yaml`. */
export interface ConfiguredPlugin {
  /** Name of a built-in plugin, `./path` of a module below the repository, or a package. */
  name: string;
  options?: unknown;
}

/**
 * Finds the configured plugins, in order, and checks their options. A module exports its plugin as `plugin` or as default.
 *
 * @param options.resolveFrom absolute folder that paths and packages are resolved from
 * @throws PLUGIN_INVALID naming the entry, when there is no such module, it exports no plugin or its options are wrong
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
    throw invalid(name, `it cannot be found from ${folder}`, cause);
  });
  const module: Record<string, unknown> = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    throw invalid(
      name,
      `it cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  });
  const found = [module['plugin'], module['default']].find(isPlugin);
  if (found === undefined) throw invalid(name, 'it exports no "plugin" made by definePlugin');
  return found;
}

async function locate(name: string, folder: string): Promise<string> {
  if (!/^\.{1,2}\//.test(name) && !path.isAbsolute(name)) return locatePackage(name, folder);
  const [root, file] = await Promise.all([realpath(folder), realpath(path.resolve(folder, name))]);
  // Only what is in the repository was reviewed with it.
  if (!file.startsWith(`${root}${path.sep}`)) throw invalid(name, 'it lies outside the repository');
  return file;
}

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

function invalid(name: string, what: string, cause?: unknown): BatonError {
  if (BatonError.is(cause)) return cause;
  const known = [...builtinPlugins.keys()].join(', ');
  return new BatonError('PLUGIN_INVALID', `The plugin "${name}" cannot be used: ${what}.`, {
    fix: `Use a built-in one (${known}), a path such as ./plugins/mine.js, or an installed package.`,
    at: `plugins.${name}`,
    ...(cause === undefined ? {} : { cause }),
  });
}
