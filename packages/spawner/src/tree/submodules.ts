import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isRealFolder } from './agent-git.ts';
import { isReachedIn } from './real-folders.ts';
import { bytesOf, fromText, linesOf, textOf, unquoted, type BytePath } from './byte-path.ts';
import { walkTree } from './walk-tree.ts';
import { treeGit, type Workspace } from './workspace.ts';

const mostBytes = 200 * 1024 * 1024;
/** Files that git rewrites when somebody only looks. */
const restless = /\/(index|FETCH_HEAD|ORIG_HEAD|logs\/.*)$/;

const modulesOf = ({ gitDir }: Workspace) => path.join(gitDir, 'modules');

/** Whether submodules were initialised in the worktree, by set-up or by an agent. */
export function hasSubmodules(workspace: Workspace): boolean {
  return [workspace.path, workspace.gitDir, modulesOf(workspace)].every(isRealFolder);
}

/** Files in the git folders of submodules, by their paths below the worktree. */
export async function moduleFiles(workspace: Workspace): Promise<BytePath[]> {
  if (!hasSubmodules(workspace)) return [];
  const walked = await walkTree(modulesOf(workspace), { mayChange: false });
  return [...walked.files.keys(), ...walked.gitFiles.keys()].map((file) => `.git/modules/${file}`);
}

/**
 * Hash over the content of submodules and their git folders: equal when nothing changed in them. Null when there are
 * none, or when they are too large, or named too oddly, to tell.
 *
 * @param links Where the submodules lie.
 */
export async function submoduleDigest(
  workspace: Workspace,
  links: readonly BytePath[],
): Promise<string | null> {
  const modules = await moduleFiles(workspace);
  if (modules.length === 0) return null;
  const files = modules.filter((file) => !restless.test(file));
  for (const link of realFoldersOf(workspace, links)) {
    const name = textOf(link);
    if (fromText(name) !== link) return null; // it cannot be walked through by name
    const walked = await walkTree(`${workspace.path}/${name}`, { mayChange: false });
    files.push(...[...walked.files.keys(), ...walked.gitFiles.keys()].map((file) => `${link}/${file}`));
  }
  const hash = createHash('sha256');
  let bytes = 0;
  for (const file of files.sort()) {
    const place = bytesOf(`${fromText(workspace.path)}/${file}`);
    const stat = lstatSync(place, { throwIfNoEntry: false });
    bytes += stat?.size ?? 0;
    if (bytes > mostBytes) return null;
    hash.update(`${file}\0${stat?.mode ?? 0}\0`);
    if (stat?.isSymbolicLink()) hash.update(readlinkSync(place, { encoding: 'buffer' }));
    else if (stat?.isFile()) hash.update(readFileSync(place));
  }
  return hash.digest('hex');
}

/** Where the submodules of the commit that Baton's index holds lie. */
export async function submoduleLinks(workspace: Workspace): Promise<BytePath[]> {
  const shown = await treeGit(workspace, ['-c', 'core.quotePath=true', 'ls-files', '--stage']);
  return linesOf(shown.stdout).flatMap((line) => {
    const [, name] = /^160000 [0-9a-f]+ \d\t(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [unquoted(name)];
  });
}

/** Empties the folders of submodules: their git folders go with the agent's, and set-up makes both again. */
export async function clearSubmodules(workspace: Workspace): Promise<void> {
  for (const link of realFoldersOf(workspace, await submoduleLinks(workspace))) {
    const folder = bytesOf(`${fromText(workspace.path)}/${link}`);
    await rm(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
}

/** Those that are folders, reached through folders alone: what lies behind a link is not the worktree's. */
function realFoldersOf(workspace: Workspace, links: readonly BytePath[]): BytePath[] {
  const isReached = isReachedIn(workspace.path);
  return links.filter((link) => isReached(`${link}/`));
}

/**
 * Gives each submodule its own git folder in place of a file that names one in the folder of the tree's repository: what set-up
 * initialised then stays usable wherever its files are laid, without that repository. Returns whether there were any.
 */
export async function embedSubmodules(workspace: Workspace): Promise<boolean> {
  if (!hasSubmodules(workspace)) return false;
  const found: string[] = [];
  for await (const folder of moduleFolders(modulesOf(workspace))) found.push(folder);
  // Those of submodules of submodules lie inside of their parents' and go first.
  for (const folder of found.sort((a, b) => b.length - a.length)) await embed(workspace, folder);
  return found.length > 0;
}

/** Git folders at any depth: a name of a submodule may have slashes. */
async function* moduleFolders(folder: string): AsyncGenerator<string> {
  const inside = await readdir(folder, { withFileTypes: true });
  const isGit = inside.some((entry) => entry.name === 'HEAD' && entry.isFile());
  if (isGit) yield folder;
  for (const entry of inside) {
    if (!entry.isDirectory() || (isGit && entry.name !== 'modules')) continue;
    yield* moduleFolders(path.join(folder, entry.name));
  }
}

async function embed({ clone, path: root }: Workspace, folder: string): Promise<void> {
  const config = ['config', '--file', path.join(folder, 'config')];
  const said = await clone.git([...config, '--get', 'core.worktree'], { cwd: root });
  if (said.exitCode !== 0) return;
  const tree = path.resolve(folder, said.stdout.replace(/\n$/, ''));
  const file = path.join(tree, '.git');
  const isOurs = existsSync(tree) && tree.startsWith(`${root}/`) && !isBehindLink(root, tree);
  if (!isOurs || lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  await rm(file);
  await rename(folder, file);
  await clone.git(['config', '--file', path.join(file, 'config'), '--unset', 'core.worktree'], { cwd: root });
}

/** Whether a link on the way leads elsewhere. */
function isBehindLink(root: string, folder: string): boolean {
  return realpathSync(folder) !== path.join(realpathSync(root), path.relative(root, folder));
}
