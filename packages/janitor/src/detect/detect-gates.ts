import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BatonError } from '@baton/contracts';
import { gatesOf, manifestNames, type DetectedGate } from './gates-of.ts';

/**
 * Looks for the usual gates of a repository: package.json scripts, pytest, go, cargo, maven, make. Nothing is run.
 * @param root the repository's top folder
 * @throws FILE_MISSING when the folder cannot be read
 */
export async function detectGates(root: string): Promise<DetectedGate[]> {
  const names = await readdir(root).catch((cause: unknown) => {
    throw new BatonError('FILE_MISSING', `${root} cannot be read.`, {
      cause,
      at: root,
      fix: 'Name the top folder of a repository.',
    });
  });
  const texts: Record<string, string> = {};
  for (const name of manifestNames) {
    const text = names.includes(name) ? await readFile(join(root, name), 'utf8').catch(() => null) : null;
    if (text !== null) texts[name] = text;
  }
  return gatesOf({ names, texts });
}
