import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gitFailure } from '../git.ts';
import { copyIndex, excludeFile, indexFile, type Workspace } from './workspace.ts';

/** Whether a path is a folder itself, not a link to one. */
export function isRealFolder(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Writes the tree's own git folder anew: detached at a commit, with our index, and nothing else. */
export function writeAgentGit(workspace: Workspace, commit: string): void {
  rmSync(workspace.gitDir, { recursive: true, force: true });
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    mkdirSync(path.join(workspace.gitDir, folder), { recursive: true });
  }
  neutralise(workspace);
  moveAgentHead(workspace, commit);
}

/** Lets the agent's git see a commit as HEAD and the tree as clean, as far as it equals that commit. */
export function moveAgentHead(workspace: Workspace, commit: string): void {
  writeFileSync(path.join(workspace.gitDir, 'HEAD'), `${commit}\n`);
  if (existsSync(indexFile(workspace))) copyIndex(indexFile(workspace), path.join(workspace.gitDir, 'index'));
}

/**
 * Takes everything out of the tree's own git folder that could run a program or lead elsewhere when git reads it: its
 * settings, hooks, attributes, grafts, borrowed object folders and left-over locks. Only for a workspace whose agent
 * is dead or waits for its next prompt.
 */
export function neutralise(workspace: Workspace): void {
  const dir = workspace.gitDir;
  const isSha256 = workspace.clone.objectFormat !== 'sha1';
  for (const name of readdirSync(dir)) {
    const isLink = lstatSync(path.join(dir, name)).isSymbolicLink();
    if (isLink || planted.includes(name) || name.endsWith('.lock'))
      rmSync(path.join(dir, name), { recursive: true, force: true });
  }
  for (const folder of ['objects', 'objects/info', 'info', 'refs']) {
    if (!isRealFolder(path.join(dir, folder)))
      rmSync(path.join(dir, folder), { recursive: true, force: true });
    mkdirSync(path.join(dir, folder), { recursive: true });
  }
  for (const name of ['attributes', 'grafts', 'exclude'])
    rmSync(path.join(dir, 'info', name), { recursive: true, force: true });
  rmSync(path.join(dir, 'objects/info/alternates'), { recursive: true, force: true });
  writeFileSync(path.join(dir, 'config'), config(isSha256));
  writeFileSync(path.join(dir, 'objects/info/alternates'), `${path.join(workspace.clone.path, 'objects')}\n`);
  // Where the history of a shallow clone ends, it ends for the agent's git too.
  if (existsSync(path.join(workspace.clone.path, 'shallow')))
    copyFileSync(path.join(workspace.clone.path, 'shallow'), path.join(dir, 'shallow'));
  if (existsSync(excludeFile(workspace)))
    copyFileSync(excludeFile(workspace), path.join(dir, 'info/exclude'));
}

const planted = [
  'config',
  'config.worktree',
  'hooks',
  'commondir',
  'gitdir',
  'shallow',
  'modules',
  'worktrees',
  'branches',
  'remotes',
];

function config(isSha256: boolean): string {
  const format = isSha256
    ? '\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n[core]\n'
    : '\trepositoryformatversion = 0\n';
  // An identity, so that an agent which commits can; automatic gc would copy the borrowed objects.
  return `[core]\n${format}\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = Baton\n\temail = baton@localhost\n[gc]\n\tauto = 0\n`;
}

/**
 * The commit that the agent's HEAD names, brought into the clone with all that leads to it. Null when there is none
 * that can be read: the agent deleted its git folder, or stands on a branch without commits.
 */
export async function importAgentHead(workspace: Workspace): Promise<string | null> {
  if (!isRealFolder(workspace.gitDir)) return null;
  neutralise(workspace);
  const { git } = workspace.clone;
  const own = ['--git-dir', workspace.gitDir];
  const found = await git([...own, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    cwd: workspace.path,
  });
  const commit = found.stdout.trimEnd();
  if (found.exitCode !== 0 || (await workspace.clone.resolve(commit)) === commit)
    return found.exitCode === 0 ? commit : null;
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', workspace.gitDir, 'HEAD'];
  const fetched = await git(args, { cwd: workspace.clone.path });
  if (fetched.exitCode === 0) return commit;
  // A history with holes (objects deleted by the agent) is no history to build on; the tree itself still counts.
  if (/missing|bad object|not our ref|did not send all|corrupt/i.test(fetched.stderr)) return null;
  throw gitFailure(args, fetched);
}
