import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '@baton/contracts';
import { printedName, quotedName, quotingNames } from './printed-name.ts';
import { gitText } from './run-git.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A file that git keeps in another form than it has in a working tree: Git LFS, git-crypt or a filter of one's own. */
export interface FilteredPath {
  /** A name that is no UTF-8 has git's escapes, `caf\\351.txt`. */
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
  /** Files to ask about, with escapes where their names are no UTF-8 (`caf\\351.txt`); null: all of the tree. */
  paths: readonly string[] | null;
  /** A commit or tree, by its full id, that `tree` differs from in these paths alone: what is known of its attributes need not be read again. */
  like?: { tree: string; changes: readonly string[] };
  /** Attributes of the user's own repository (`.git/info/attributes`) that decide as well; null: none. */
  attributesFile: string | null;
}

/** The files that a filter is named for, by the tree's attributes or by the user's, whether the filter is set up or not. @throws GIT_FAILED */
export async function filteredPaths(options: FilteredPathsOptions): Promise<FilteredPath[]> {
  const { git, repo, attributesFile } = options;
  const printed = options.paths?.map(quotedName) ?? (await entriesOf(options)).map(nameIn);
  const attributes = await attributesOf(options);
  const ask = (own: readonly string[], file: string | null) =>
    askGit({ git, repo }, { entries: own, printed, file });
  const found = [
    ...(attributes.length === 0 ? [] : await ask(attributes, null)),
    ...(attributesFile === null ? [] : await ask([], attributesFile)),
  ];
  return [...new Map(found.map((one) => [one.path, one])).values()];
}

const attributesName = /(^|\/)\.gitattributes$/;
const fullId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The entries of attribute files by the commit or tree that they are in; what an id names never changes. */
const known = new Map<string, readonly string[]>();
const mostKnown = 256;

function note(tree: string, entries: readonly string[]): void {
  if (!fullId.test(tree)) return;
  known.delete(tree); // the newest is last
  known.set(tree, entries);
  for (const oldest of known.keys()) {
    if (known.size <= mostKnown) return;
    known.delete(oldest);
  }
}

/**
 * The entries of a tree's attribute files, as `update-index --index-info` takes them. A commit that changes no attribute file has those of the
 * commit before it: most trees need not be listed. @throws GIT_FAILED
 */
export async function attributesOf(
  options: TreeToList & Pick<FilteredPathsOptions, 'like'>,
): Promise<readonly string[]> {
  const { tree, like } = options;
  const same =
    like?.changes.some((changed) => attributesName.test(changed)) === false ? [tree, like.tree] : [tree];
  const entries =
    same.map((one) => known.get(one)).find((one) => one !== undefined) ??
    (await entriesOf(options)).filter((entry) => isAttributes(entry));
  for (const one of same) note(one, entries);
  return entries;
}

const isAttributes = (entry: string): boolean =>
  /^100\d{3} blob \S+\t"?(.*\/)?\.gitattributes"?$/.test(entry);

/** A tree to list; `env` says where its objects are, if not in the repository alone. */
type TreeToList = Pick<FilteredPathsOptions, 'git' | 'repo' | 'tree'> & {
  env?: Readonly<Record<string, string>>;
};

async function entriesOf({ git, repo, tree, env }: TreeToList): Promise<string[]> {
  const args = [...quotingNames, 'ls-tree', '-r', '--full-tree', tree];
  const at = { cwd: repo, ...(env !== undefined && { env }) };
  return (await gitText(git, args, at)).split('\n').filter((entry) => entry !== '');
}

const nameIn = (entry: string): string => entry.slice(entry.indexOf('\t') + 1);

/** Attributes are read from an index that holds nothing else: no working tree and no configuration has a say. */
async function askGit(
  at: { git: Git; repo: string },
  { entries, printed, file }: { entries: readonly string[]; printed: readonly string[]; file: string | null },
): Promise<FilteredPath[]> {
  if (printed.length === 0) return [];
  const folder = await makeTemporaryFolder('baton-attributes-');
  const options = { cwd: at.repo, env: { GIT_INDEX_FILE: path.join(folder, 'index') } };
  const list = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  try {
    await gitText(at.git, ['update-index', '--index-info'], { ...options, stdin: list(entries) });
    const settings = [...quotingNames, '-c', `core.attributesFile=${file ?? '/dev/null'}`];
    const args = [...settings, 'check-attr', '--cached', '--stdin', 'filter'];
    const answers = (await gitText(at.git, args, { ...options, stdin: list(printed) })).split('\n');
    return printed.flatMap((name, line) => {
      // One line for each name, in their order; a filter's name has no space.
      const filter = /: filter: (\S+)$/.exec(answers[line] ?? '')?.[1] ?? '';
      if (['unspecified', 'unset', 'set', ''].includes(filter)) return [];
      return [{ path: printedName(name), filter }];
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
