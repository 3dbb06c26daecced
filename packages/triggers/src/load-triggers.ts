import { BatonError } from '@baton/contracts';
import { readFile } from 'node:fs/promises';
import { parseTriggers } from './parse-triggers.ts';
import type { TriggersFile } from './rule.ts';

/**
 * Reads `triggers.yaml` from a file.
 * @throws FILE_MISSING, CONFIG_INVALID
 */
export async function loadTriggers(path: string): Promise<TriggersFile> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new BatonError('FILE_MISSING', `The triggers cannot be read: ${path}.`, {
      fix: 'Check the path and its permissions; an empty file is allowed.',
      at: path,
      cause,
    });
  });
  return parseTriggers(text, { file: path });
}
