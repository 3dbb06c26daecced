import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inputIssues } from '@baton/contracts';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Write } from './writes.ts';

const caseFile = z.array(z.strictObject({ name: z.string().min(1), line: z.string().min(1) }));

/**
 * Reads every `*.yaml`, `*.yml` and `*.json` of a folder: each holds a list of things to leave behind.
 * @throws Error naming file and place of what is wrong
 */
export async function loadWrites(folder: string): Promise<Write[]> {
  const names = (await readdir(folder)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  if (names.length === 0) throw new Error(`There are no .yaml or .json files in ${folder}.`);
  const files = await Promise.all(
    names.map(async (name) => {
      const read = caseFile.safeParse(parse(await readFile(path.join(folder, name), 'utf8')));
      if (read.success) return read.data;
      const [issue] = inputIssues(read.error);
      throw new Error(`${name}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a list of cases'}`);
    }),
  );
  return files.flat();
}
