import { existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { gitFailure } from '../git.ts';
import { copyIndex, indexFile, nulList, treeGit, treeGitText, type Workspace } from './workspace.ts';

const deepestNesting = 8;

/** How {@link stageTree} stages. */
export interface StageOptions {
  /** Index that is written; starts as a copy of Baton's own. */
  index: string;
  /** Commit whose content the index starts from: files that it holds are staged though a pattern excludes them. */
  from: string | null;
  /** Ignored files that are staged nevertheless; see {@link forcedFiles}. */
  forced?: readonly string[];
  /** Decides which untracked files stay out. */
  leaveOut?: (file: string) => boolean;
  /** True: what cannot be read (or changes under our hands) is skipped instead of being an error. */
  tolerant?: boolean;
}

/**
 * Stages the content of the tree, including untracked files that no pattern excludes, and returns the tree's id and
 * the files that were left out. A repository nested in the tree (many scaffolding tools make one) is taken as plain
 * files: as a link to a commit that nobody else has, its content would be lost.
 */
export async function stageTree(
  workspace: Workspace,
  options: StageOptions,
): Promise<{ tree: string; leftOut: string[] }> {
  rmSync(options.index, { force: true });
  if (existsSync(indexFile(workspace))) copyIndex(indexFile(workspace), options.index);
  if (options.from !== null) {
    // One-tree merge: entries that stay the same keep what is known of their files, so that they are not read again.
    await treeGitText(workspace, ['read-tree', '-i', '-m', options.from], { index: options.index });
    await dropStrayLinks(workspace, { index: options.index, from: options.from });
  }
  if (options.forced !== undefined && options.forced.length > 0) {
    const args = ['update-index', '-z', '--add', '--remove', '--stdin'];
    await treeGitText(workspace, args, { index: options.index, stdin: options.forced.join('\0') });
  }
  const leftOut = await stageFolder(workspace, { ...options, tree: workspace.path, prefix: '', depth: 0 });
  return { tree: await treeGitText(workspace, ['write-tree'], { index: options.index }), leftOut };
}

/** Files that the agent staged by force although a pattern ignores them: they are its work too. Its git must be neutralised. */
export async function forcedFiles(workspace: Workspace): Promise<string[]> {
  const own = ['--git-dir', workspace.gitDir, '--work-tree', workspace.path];
  const args = [...own, 'ls-files', '-z', '--cached', '--ignored', '--exclude-standard'];
  const listed = await workspace.clone.git(args, { cwd: workspace.path });
  return listed.exitCode === 0 ? nulList(listed.stdout) : [];
}

interface FolderOptions extends StageOptions {
  tree: string;
  /** Path of `tree` below the workspace, with a slash at its end, or ''. */
  prefix: string;
  depth: number;
}

async function stageFolder(workspace: Workspace, options: FolderOptions): Promise<string[]> {
  const { index, tree, prefix, leaveOut = () => false } = options;
  const at = { index, tree };
  const untracked = nulList(
    await treeGitText(workspace, ['ls-files', '-z', '--others', '--exclude-standard'], at),
  );
  const nested = untracked.filter((file) => file.endsWith('/'));
  const leftOut = untracked.filter((file) => !file.endsWith('/') && leaveOut(prefix + file));
  const pathspecs = [
    '.',
    ...[...nested, ...leftOut].map((file) => `:(exclude,literal)${file.replace(/\/$/, '')}`),
  ];
  const args = [
    'add',
    '--all',
    ...(options.tolerant ? ['--ignore-errors'] : []),
    '--pathspec-from-file=-',
    '--pathspec-file-nul',
  ];
  const added = await treeGit(workspace, args, { ...at, stdin: pathspecs.join('\0') });
  if (added.exitCode !== 0 && !options.tolerant) throw gitFailure(args, added);

  const lists = [leftOut.map((file) => prefix + file)];
  for (const folder of nested)
    lists.push(await stageNested(workspace, { ...options, prefix: prefix + folder }, folder));
  return lists.flat();
}

/** Stages a nested repository with an index of its own and puts its tree in place of the link. */
async function stageNested(workspace: Workspace, options: FolderOptions, folder: string): Promise<string[]> {
  if (options.depth >= deepestNesting) {
    const fix = 'Remove the nested .git folders.';
    throw new BatonError('WORKSPACE_FAILED', `Repositories are nested more than ${deepestNesting} deep.`, {
      at: options.prefix,
      fix,
    });
  }
  const index = `${options.index}.${options.depth}`;
  const tree = path.join(options.tree, folder);
  rmSync(index, { force: true });
  try {
    const leftOut = await stageFolder(workspace, { ...options, index, tree, depth: options.depth + 1 });
    const staged = await treeGitText(workspace, ['write-tree'], { index, tree });
    await treeGitText(workspace, ['read-tree', `--prefix=${folder}`, staged], {
      index: options.index,
      tree: options.tree,
    });
    return leftOut;
  } finally {
    rmSync(index, { force: true });
  }
}

/** Takes links to nested repositories that the agent committed out of the index, unless it declared them as submodules. */
async function dropStrayLinks(
  workspace: Workspace,
  { index, from }: { index: string; from: string },
): Promise<void> {
  const { startCommit } = workspace.state;
  if (startCommit === null || startCommit === from) return;
  const raw = await treeGitText(workspace, ['diff-tree', '-r', '-z', '--no-renames', startCommit, from], {
    index,
  });
  const links = [...raw.matchAll(/:\d{6} 160000 \S+ \S+ [AMT]\0([^\0]+)\0/g)].map(([, file = '']) => file);
  const declared = readIfThere(path.join(workspace.path, '.gitmodules'));
  const stray = links.filter((file) => !declared.includes(`path = ${file}\n`));
  if (stray.length === 0) return;
  await treeGitText(workspace, ['update-index', '-z', '--force-remove', '--stdin'], {
    index,
    stdin: stray.join('\0'),
  });
}

function readIfThere(file: string): string {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8') : '';
}
