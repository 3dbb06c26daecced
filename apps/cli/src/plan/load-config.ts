import { access } from 'node:fs/promises';
import path from 'node:path';

import { repoConfig, type RepoConfig } from '@baton/contracts';

import { checkFile } from './check-file.ts';
import { readYamlFile } from './yaml-file.ts';

/** Name of the file that a repository may hold at its root. */
export const configName = 'baton.yaml';

/**
 * Reads `baton.yaml` of a repository; what an empty file would say when there is none.
 * @throws CONFIG_INVALID naming every problem by line, column and key path
 */
export async function loadConfig(root: string): Promise<RepoConfig> {
  const file = path.join(root, configName);
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (!exists) return repoConfig.parse({});
  const yaml = await readYamlFile(file, { name: configName, code: 'CONFIG_INVALID' });
  return checkFile({ ...yaml, value: yaml.value ?? {} }, { schema: repoConfig, code: 'CONFIG_INVALID' });
}
