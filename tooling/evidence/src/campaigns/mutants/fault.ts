import { readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A fault to plant, and the tests that must notice it. */
export interface Fault {
  /** File name without its ending. */
  name: string;
  /** What goes wrong, in one line. */
  fault: string;
  /** Folder of the package whose tests run, from the root of the repository. */
  owner: string;
  /** Test files below it; empty for all of them. */
  tests: readonly string[];
  /** The unified diff. */
  patch: string;
}

/**
 * Reads `*.patch`: lines `fault: …` and `tests: …` (files of the owning package, separated by spaces; all when left out), an
 * empty line, then a unified diff against the root of the repository. The package of the first changed file owns it, or the
 * one that a line `owner: …` names.
 *
 * @throws Error naming the file that is no such patch
 */
export async function readFaults(folder: string): Promise<Fault[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.patch')).toSorted();
  if (files.length === 0) throw new Error(`${folder} holds no *.patch.`);
  return Promise.all(
    files.map(async (file) =>
      faultOf(path.basename(file, '.patch'), await readFile(path.join(folder, file), 'utf8')),
    ),
  );
}

/** One patch file, read. */
export function faultOf(name: string, text: string): Fault {
  const start = text.search(/^(diff --git|---) /m);
  const head = start < 0 ? '' : text.slice(0, start);
  const patch = text.slice(Math.max(start, 0));
  const owner =
    /^owner: (\S+)$/m.exec(head)?.[1] ?? /^\+\+\+ b\/((?:packages|apps|tooling)\/[^/]+)\//m.exec(patch)?.[1];
  if (start < 0 || owner === undefined)
    throw new Error(`${name}.patch is no unified diff of a file of a package ("+++ b/packages/…").`);
  const fault = /^fault: (.+)$/m.exec(head)?.[1] ?? name;
  const tests = /^tests: (.+)$/m.exec(head)?.[1]?.trim().split(/\s+/) ?? [];
  return { name, fault, owner, tests, patch };
}

/** First parts of the names of a folder's faults, which `--only` takes. */
export function areasOf(folder: string): string[] {
  const names = readdirSync(folder).filter((file) => file.endsWith('.patch'));
  return [...new Set(names.map((file) => path.basename(file, '.patch').split('-')[0] ?? ''))].toSorted();
}

/** The faults of the wanted areas, such as `store` or `janitor/merge`: those whose names begin so; all when none is named. */
export function chosenFaults(faults: readonly Fault[], only: readonly string[] | undefined): Fault[] {
  const beginnings = only?.map((part) => part.replaceAll('/', '-'));
  const isWanted = ({ name }: Fault) =>
    beginnings?.some((begin) => name === begin || name.startsWith(`${begin}-`)) ?? true;
  return faults.filter(isWanted);
}
