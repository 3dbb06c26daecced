import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';

import { BatonError, parseInput } from '@baton/contracts';
import { z } from 'zod';

import type { Call } from '../terminal/call.ts';

/** An example body of a webhook, for the message that refuses another. */
export const exampleBody = '{ "type": "deploy.failed", "service": "shop" }';

const anyObject = z.record(z.string(), z.unknown());

/**
 * Reads a file that a person named, which holds the JSON object of an event; `-` is standard input.
 *
 * @param given.example such an object, for the message that refuses another
 * @throws FILE_MISSING, INVALID_INPUT
 */
export async function readJsonObject(
  { cwd, streams }: Pick<Call, 'cwd' | 'streams'>,
  { file, example }: { file: string; example: string },
): Promise<Record<string, unknown>> {
  const at = file === '-' ? 'standard input' : file;
  const text =
    file === '-'
      ? await textOf(streams.stdin)
      : await readFile(path.resolve(cwd, file), 'utf8').catch((cause: unknown) => {
          const fix = 'Name a JSON file, or - for standard input.';
          throw new BatonError('FILE_MISSING', `${file} cannot be read.`, { at, fix, cause });
        });
  const { parseExactJson } = await import('@baton/triggers'); // help should not wait for it
  let value: unknown;
  try {
    value = parseExactJson(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    if (BatonError.is(cause)) throw cause;
    const fix = `Give one JSON object, such as ${example}.`;
    const why = (cause as Error).message;
    throw new BatonError('INVALID_INPUT', `${at} is not JSON: ${why}`, { at, fix, cause });
  }
  return parseInput(anyObject, value, { what: at, at });
}
