import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inputIssues } from '@baton/contracts';
import { parse } from 'yaml';
import { casesOf, cheatFile, type CheatCase } from './format.ts';

/**
 * Reads every `*.yaml`, `*.yml` and `*.json` of a folder: each is a project with pairs of patches.
 * @throws Error naming file and place of what is wrong
 */
export async function loadCheats(folder: string): Promise<CheatCase[]> {
  const names = (await readdir(folder)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  if (names.length === 0) throw new Error(`There are no .yaml or .json files in ${folder}.`);
  const files = await Promise.all(
    names.map(async (name) => {
      const read = cheatFile.safeParse(parse(await readFile(path.join(folder, name), 'utf8')));
      if (read.success) return casesOf(read.data);
      const [issue] = inputIssues(read.error);
      throw new Error(`${name}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a file of cases'}`);
    }),
  );
  return files.flat();
}
