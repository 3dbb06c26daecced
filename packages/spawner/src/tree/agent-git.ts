import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { gitFailure } from '../git/git.ts';
import { adopt } from './adopt.ts';
import { dropLinks, linkForeignStores } from './foreign-stores.ts';
import { noteOutside } from './outside.ts';
import { copyIndex, excludeFile, indexFile, type Workspace } from './workspace.ts';

/** Whether a path is a folder itself, not a link to one. */
export function isRealFolder(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Rewrites the tree's own git folder: detached at a commit, with our index or another, and nothing else. */
export function writeAgentGit(workspace: Workspace, commit: string, index?: string): void {
  rmSync(workspace.gitDir, { recursive: true, force: true });
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    mkdirSync(path.join(workspace.gitDir, folder), { recursive: true });
  }
  neutralise(workspace);
  moveAgentHead(workspace, commit, index);
}

/**
 * Lets the agent's git see a commit as HEAD and the tree as clean, as far as it equals that commit.
 *
 * @param index Index that holds the commit; left out: Baton's own.
 */
export function moveAgentHead(workspace: Workspace, commit: string, index = indexFile(workspace)): void {
  replaceFile(path.join(workspace.gitDir, 'HEAD'), `${commit}\n`);
  if (!existsSync(index)) return;
  const draft = draftBeside(path.join(workspace.gitDir, 'index'));
  copyIndex(index, draft);
  renameSync(draft, path.join(workspace.gitDir, 'index'));
}

/** Replaces a file, whatever is in its place: a pipe is not opened, and no other name of the old file is written to. */
function replaceFile(file: string, content: string): void {
  const draft = draftBeside(file);
  writeFileSync(draft, content);
  renameSync(draft, file);
}

/** Free place for a draft, and room for it at its goal. */
function draftBeside(file: string): string {
  const draft = `${file}.baton-draft`;
  for (const place of [draft, file])
    if (lstatSync(place, { throwIfNoEntry: false })?.isFile() !== true || place === draft)
      rmSync(place, { recursive: true, force: true });
  return draft;
}

const deepestGitFolder = 40;
const mostGitEntries = 500_000;

/**
 * Removes from a git folder what is neither file nor folder: opening a pipe blocks without end, and a link leads
 * elsewhere.
 *
 * @throws WORKSPACE_FAILED when the folder is too deep or too large to be looked through
 */
export function removeStrange(gitFolder: string): void {
  const folders = [{ folder: gitFolder, depth: 0 }];
  let seen = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { folder, depth } = next;
    if (depth > deepestGitFolder || seen > mostGitEntries) {
      throw new BatonError(
        'WORKSPACE_FAILED',
        `The git folder of an agent is too deep or too large: ${gitFolder}`,
        {
          fix: 'Its worktree is set aside; `baton rescue` lists it.',
          at: gitFolder,
        },
      );
    }
    for (const child of readdirSync(Buffer.from(folder, 'latin1'), {
      withFileTypes: true,
      encoding: 'buffer',
    })) {
      seen += 1;
      const place = `${folder}/${child.name.toString('latin1')}`;
      if (child.isDirectory()) folders.push({ folder: place, depth: depth + 1 });
      else if (!child.isFile()) unlinkSync(Buffer.from(place, 'latin1'));
    }
  }
}

/**
 * Takes everything out of the tree's own git folder that could run a program or lead elsewhere when git reads it: its
 * settings, hooks, attributes, grafts, borrowed object folders and left-over locks. Only for a workspace whose agent
 * is dead or waits for its next prompt.
 *
 * @param borrowed Folders of objects that it may borrow from besides the clone's.
 */
export function neutralise(workspace: Workspace, borrowed: readonly string[] = []): void {
  const dir = workspace.gitDir;
  const isSha256 = workspace.clone.objectFormat !== 'sha1';
  removeStrange(Buffer.from(dir, 'utf8').toString('latin1'));
  for (const name of readdirSync(dir)) {
    if (planted.includes(name) || name.endsWith('.lock'))
      rmSync(path.join(dir, name), { recursive: true, force: true });
  }
  for (const folder of ['objects', 'objects/info', 'info', 'refs']) {
    if (!isRealFolder(path.join(dir, folder)))
      rmSync(path.join(dir, folder), { recursive: true, force: true });
    mkdirSync(path.join(dir, folder), { recursive: true });
  }
  for (const name of ['attributes', 'grafts', 'exclude'])
    rmSync(path.join(dir, 'info', name), { recursive: true, force: true });
  replaceFile(path.join(dir, 'config'), config(isSha256));
  const stores = [path.join(workspace.clone.path, 'objects'), ...borrowed];
  replaceFile(path.join(dir, 'objects/info/alternates'), stores.map((folder) => `${folder}\n`).join(''));
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
  'worktrees',
  'branches',
  'remotes',
];

/** Settings of a repository that holds no commands. */
export function config(isSha256: boolean): string {
  const format = isSha256
    ? '\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n[core]\n'
    : '\trepositoryformatversion = 0\n';
  // An identity, so that an agent which commits can; automatic gc would copy the borrowed objects.
  return `[core]\n${format}\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = Baton\n\temail = baton@localhost\n[gc]\n\tauto = 0\n`;
}

/** The commit that a detached HEAD names, if the clone has it: as where the agent left it. Null says nothing. */
async function detachedHead({ gitDir, clone }: Workspace): Promise<string | null> {
  const file = path.join(gitDir, 'HEAD');
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const digits = clone.objectFormat === 'sha1' ? 40 : 64;
  const commit = new RegExp(`^([0-9a-f]{${digits}})\\n$`).exec(readFileSync(file, 'latin1'))?.[1];
  return commit !== undefined && (await clone.resolve(commit)) === commit ? commit : null;
}

/**
 * The commit that the agent's HEAD names, brought into the clone with all that leads to it. Null when there is none
 * that can be read: the agent deleted its git folder, or is on a branch without commits.
 */
export async function importAgentHead(workspace: Workspace): Promise<string | null> {
  await noteOutside(workspace);
  if (!isRealFolder(workspace.gitDir)) return null;
  const stores = linkForeignStores(workspace);
  // What it borrows from stays named until all of it is copied, whenever this ends before.
  neutralise(
    workspace,
    stores.flatMap(({ links }) => links ?? []),
  );
  if (stores.length > 0) {
    await adopt(workspace, stores);
    neutralise(workspace);
    dropLinks(workspace);
  }
  const detached = await detachedHead(workspace);
  if (detached !== null) return detached;
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
