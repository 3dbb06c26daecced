import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorReference } from '@baton/contracts';
import { format, resolveConfig } from 'prettier';
import { apiSurfaces } from './api-surface.ts';
import { configPage } from './config-page.ts';
import { fileSchemas, jsonSchema } from './json-schemas.ts';
import { machinePages } from './machine-pages.ts';
import { architecturePage } from './picture.ts';
import { root } from './workspace-packages.ts';

/** The parts of docs/ that are read off the code, by the name of the check that guards them. */
export const generators = {
  errors: () => new Map([['docs/errors.md', errorReference()]]),
  config: () => new Map([['docs/config.md', configPage()]]),
  schemas: () =>
    new Map(
      fileSchemas.map((file) => [
        `docs/schema/${file.name}.schema.json`,
        JSON.stringify(jsonSchema(file), null, 2),
      ]),
    ),
  machines: () => machinePages(),
  picture: () => new Map([['docs/architecture.md', architecturePage()]]),
  api: () => apiSurfaces(),
} satisfies Record<string, () => Map<string, string>>;

/** Name of one group of generated files. */
export type GeneratorName = keyof typeof generators;

/** Files of a group whose content on disk is not what the code says today. */
export async function drift(name: GeneratorName): Promise<string[]> {
  const files = await rendered(name);
  return [...files].filter(([file, content]) => onDisk(file) !== content).map(([file]) => file);
}

/** Writes the files of a group, and returns the paths that changed. */
export async function regenerate(name: GeneratorName): Promise<string[]> {
  const changed: string[] = [];
  for (const [file, content] of await rendered(name)) {
    if (onDisk(file) === content) continue;
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
    changed.push(file);
  }
  return changed;
}

async function rendered(name: GeneratorName): Promise<Map<string, string>> {
  const config = await resolveConfig(path.join(root, 'package.json'));
  const files = await Promise.all(
    [...generators[name]()].map(async ([file, content]): Promise<[string, string]> => {
      if (file.endsWith('.txt')) return [file, content];
      return [file, await format(content, { ...config, filepath: file })];
    }),
  );
  return new Map(files);
}

function onDisk(file: string): string | undefined {
  const full = path.join(root, file);
  return existsSync(full) ? readFileSync(full, 'utf8') : undefined;
}
