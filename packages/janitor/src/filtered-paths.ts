import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import { fields, gitText } from './run-git.ts';

/** A file that git keeps in another form than it has in a working tree: Git LFS, git-crypt or a filter of one's own. */
export interface FilteredPath {
  path: string;
  /** Name of the filter, as the attributes give it. */
  filter: string;
}

/** Of which tree and files the filters are asked. */
export interface FilteredPathsOptions {
  git: Git;
  /** Repository that holds the objects. */
  repo: string;
  /** Commit or tree whose own attributes decide, those in subfolders and macros too. */
  tree: string;
  /** Files to ask about; null: all of the tree. */
  paths: readonly string[] | null;
  /** Attributes of the user's own repository (`.git/info/attributes`) that decide as well; null: none. */
  attributesFile: string | null;
}

/** The files that a filter is named for, by the tree's attributes or by the user's, whether the filter is set up or not. @throws GIT_FAILED */
export async function filteredPaths(options: FilteredPathsOptions): Promise<FilteredPath[]> {
  const { git, repo, tree, attributesFile } = options;
  const args = ['ls-tree', '-r', '-z', '--full-tree', tree];
  const entries = fields(await gitText(git, args, { cwd: repo }));
  const paths = options.paths ?? entries.map((entry) => entry.slice(entry.indexOf('\t') + 1));
  const attributes = entries.filter((entry) => /^100\d{3} blob \S+\t(.*\/)?\.gitattributes$/s.test(entry));
  const ask = (own: readonly string[], file: string | null) =>
    askGit({ git, repo }, { entries: own, paths, file });
  const found = [
    ...(attributes.length === 0 ? [] : await ask(attributes, null)),
    ...(attributesFile === null ? [] : await ask([], attributesFile)),
  ];
  return [...new Map(found.map((one) => [one.path, one])).values()];
}

/** Attributes are read from an index that holds nothing else: no working tree and no configuration has a say. */
async function askGit(
  at: { git: Git; repo: string },
  { entries, paths, file }: { entries: readonly string[]; paths: readonly string[]; file: string | null },
): Promise<FilteredPath[]> {
  if (paths.length === 0) return [];
  const folder = await mkdtemp(path.join(tmpdir(), 'baton-attributes-'));
  const options = { cwd: at.repo, env: { GIT_INDEX_FILE: path.join(folder, 'index') } };
  const list = (lines: readonly string[]): string => lines.map((line) => `${line}\0`).join('');
  try {
    await gitText(at.git, ['update-index', '-z', '--index-info'], { ...options, stdin: list(entries) });
    const settings = ['-c', `core.attributesFile=${file ?? '/dev/null'}`];
    const args = [...settings, 'check-attr', '--cached', '--stdin', '-z', 'filter'];
    const answers = (await gitText(at.git, args, { ...options, stdin: list(paths) })).split('\0');
    const found: FilteredPath[] = [];
    for (let line = 0; line + 2 < answers.length; line += 3) {
      const [name = '', , filter = ''] = answers.slice(line, line + 3);
      if (!['unspecified', 'unset', 'set', ''].includes(filter)) found.push({ path: name, filter });
    }
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
