import { BatonError, notUtf8, utf8Text } from '@baton/contracts';
import { readFile, stat } from 'node:fs/promises';
import { devNull } from 'node:os';
import { invalidTriggers, parseTriggers } from './parse-triggers.ts';
import type { TriggersFile } from './rule.ts';

/**
 * Reads `triggers.yaml` from a file.
 * @throws FILE_MISSING, CONFIG_INVALID
 */
export async function loadTriggers(path: string): Promise<TriggersFile> {
  const bytes = await readRegular(path).catch((cause: unknown) => {
    throw new BatonError('FILE_MISSING', `The triggers cannot be read: ${reasonOf(cause)}.`, {
      fix: 'Check the path and its permissions; an empty file is allowed.',
      at: path,
      cause,
    });
  });
  const read = utf8Text(bytes);
  if (!read.ok) {
    const { line, column } = read;
    throw invalidTriggers(path, [{ path: [], message: notUtf8, line, column }]);
  }
  return parseTriggers(read.text, { file: path });
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** A server reads its rules again and again: a pipe would keep it waiting. `/dev/null` says that there are none. */
async function readRegular(path: string): Promise<Uint8Array> {
  if (path !== devNull && !(await stat(path)).isFile()) throw new Error(`${path} is no regular file`);
  return readFile(path);
}
