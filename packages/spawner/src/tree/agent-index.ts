import { lstatSync } from 'node:fs';
import path from 'node:path';
import { isRealFolder } from './agent-git.ts';
import { linesOf, quoted, unquoted, type BytePath } from './byte-path.ts';
import { isAgentIndexOf } from './held-commit.ts';
import { isReachedIn } from './real-folders.ts';
import type { Workspace } from './workspace.ts';

/** What the agent's own index says of files: see {@link forcedFiles} and {@link sparseFiles}. */
export interface StagedByAgent {
  forced: ReadonlySet<BytePath>;
  sparse: ReadonlySet<BytePath>;
}

/**
 * Reads the agent's index, which must be neutralised; the tree must hold no pipes, which git would wait for.
 *
 * @param from Commit whose files count as tracked: where the index is as Baton wrote it for that one, the agent staged nothing.
 */
export async function readAgentIndex(workspace: Workspace, from: string | null): Promise<StagedByAgent> {
  const none = { forced: new Set<BytePath>(), sparse: new Set<BytePath>() };
  if (!isRealFolder(workspace.gitDir)) return none;
  if (isAgentIndexOf(workspace, from) && !hasSparse(workspace)) return none;
  return { forced: await forcedFiles(workspace), sparse: await sparseFiles(workspace) };
}

/** Files that the agent staged by force although a pattern ignores them: they are its work too. */
async function forcedFiles(workspace: Workspace): Promise<Set<BytePath>> {
  const names = (await ownIndex(workspace, ['--cached'])).map(unquoted);
  const reached = names.filter(isReachedIn(workspace.path));
  if (reached.length === 0) return new Set();
  // Git takes a name that begins with a colon for magic, and stops there.
  const stdin = reached.map((name) => `${quoted(`./${name}`)}\n`).join('');
  const said = await ownGit(workspace, ['check-ignore', '--no-index', '--stdin'], { stdin });
  // 1: none is ignored. Where git cannot say, whatever the agent staged counts as meant.
  if (said.exitCode > 1) return new Set(reached);
  return new Set(linesOf(said.stdout).map((line) => unquoted(line).slice('./'.length)));
}

/** Files that its sparse checkout took out of the tree: that they are not there does not mean that it deleted them. */
async function sparseFiles(workspace: Workspace): Promise<Set<BytePath>> {
  if (!hasSparse(workspace)) return new Set();
  const lines = await ownIndex(workspace, ['-t', '--cached']);
  return new Set(lines.filter((line) => line.startsWith('S ')).map((line) => unquoted(line.slice(2))));
}

const hasSparse = ({ gitDir }: Workspace): boolean => isFile(path.join(gitDir, 'info/sparse-checkout'));

async function ownIndex(workspace: Workspace, which: readonly string[]): Promise<string[]> {
  const listed = await ownGit(workspace, ['ls-files', ...which]);
  return listed.exitCode === 0 ? linesOf(listed.stdout) : [];
}

async function ownGit(workspace: Workspace, args: readonly string[], options: { stdin?: string } = {}) {
  const own = ['-c', 'core.quotePath=true', '--git-dir', workspace.gitDir, '--work-tree', workspace.path];
  const ran = await workspace.clone.git([...own, ...args], { cwd: workspace.path, ...options });
  return { stdout: ran.stdout, exitCode: ran.exitCode ?? 128 };
}

function isFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
