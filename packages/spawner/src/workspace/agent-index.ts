import { lstatSync } from 'node:fs';
import path from 'node:path';
import { linesOf, unquoted, type BytePath } from './byte-path.ts';
import type { Workspace } from './workspace.ts';

/** Files that the agent staged by force although a pattern ignores them: they are its work too. Its git must be neutralised. */
export async function forcedFiles(workspace: Workspace): Promise<Set<BytePath>> {
  const lines = await ownIndex(workspace, ['--cached', '--ignored', '--exclude-standard']);
  return new Set(lines.map(unquoted));
}

/** Files that its sparse checkout took out of the tree: that they are not there does not mean that it deleted them. */
export async function sparseFiles(workspace: Workspace): Promise<Set<BytePath>> {
  if (!isFile(path.join(workspace.gitDir, 'info/sparse-checkout'))) return new Set();
  const lines = await ownIndex(workspace, ['-t', '--cached']);
  return new Set(lines.filter((line) => line.startsWith('S ')).map((line) => unquoted(line.slice(2))));
}

async function ownIndex(workspace: Workspace, which: readonly string[]): Promise<string[]> {
  const own = ['-c', 'core.quotePath=true', '--git-dir', workspace.gitDir, '--work-tree', workspace.path];
  const listed = await workspace.clone.git([...own, 'ls-files', ...which], { cwd: workspace.path });
  return listed.exitCode === 0 ? linesOf(listed.stdout) : [];
}

function isFile(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
