import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inputIssues } from '@baton/contracts';
import { parse } from 'yaml';
import { caseFile, type ExplainCase } from './format.ts';

/**
 * Reads every `*.yaml`, `*.yml` and `*.json` of a folder: each holds a list of cases (tooling/README.md).
 * @throws Error naming file and place of what is wrong
 */
export async function loadCases(folder: string): Promise<ExplainCase[]> {
  const names = (await readdir(folder)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  if (names.length === 0) throw new Error(`There are no .yaml or .json files in ${folder}.`);
  const files = await Promise.all(names.map((name) => readCases(path.join(folder, name))));
  return files.flat();
}

async function readCases(file: string): Promise<ExplainCase[]> {
  const read = caseFile.safeParse(parse(await readFile(file, 'utf8')));
  if (read.success) return read.data;
  const [issue] = inputIssues(read.error);
  throw new Error(`${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a list of cases'}`);
}
