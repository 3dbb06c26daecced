import { rmSync } from 'node:fs';
import path from 'node:path';
import { gitText } from '../git/git.ts';
import { linesOf, quoted, type BytePath } from '../tree/byte-path.ts';
import { ownRef, type AttemptKey } from '../tree/clone.ts';
import { gitOwned } from '../tree/git-owned.ts';
import { leftOut } from '../tree/left-out.ts';
import { noteOutside } from '../tree/outside.ts';
import { walkTree, type WalkedTree } from '../tree/walk-tree.ts';
import { isRealFolder } from '../tree/agent-git.ts';
import type { Workspace } from '../tree/workspace.ts';
import { canBeKept, isKept, keepSecrets } from './kept-secrets.ts';
import { keepTips } from './own-tips.ts';
import type { OwnWork } from './own-work.ts';
import { keptPath } from './refused-names.ts';
import { isSecretLike } from './secret-files.ts';
import { storeBlobs, type Blob } from './store-blobs.ts';

/** Folders of the git folder that are saved otherwise: submodules with their trees, other worktrees by name. */
const savedOtherwise = new Set<BytePath>(['modules', 'worktrees']);
const title = 'Files of the git folder that git did not write';

/**
 * Keeps what lies in an agent's git folder and is neither an object that the clone can take over nor state that git itself writes
 * there: patches, unfinished mail, hooks, settings, attributes, content of other tools, objects of another format. All of it becomes one
 * commit below `git-folder/` that `refs/baton/own/<task>/<fence>` leads to. To be called before the git folder is neutralised, which
 * removes a part of it.
 *
 * What could not be kept is named in the list of what was left out as well.
 */
export async function keepGitFolder(workspace: Workspace): Promise<OwnWork> {
  const { owner } = workspace.state;
  if (owner === null || !isRealFolder(workspace.gitDir)) return { ref: null, leftOut: [] };
  const walked = await walkTree(workspace.gitDir, { mayChange: true, skip: savedOtherwise });
  const files = gitOwned(workspace, namesOf(walked)).map((file): BytePath => `.git/${file}`);
  const unreached = walked.unreached.map(({ file, why }) => leftOut(`.git/${file}/`, 'unreached', why));
  const secrets = files.filter((file) => isSecretLike(file) && canBeKept(workspace, file));
  const stored = await storeBlobs(
    workspace,
    files.filter((file) => !secrets.includes(file)),
    { mayChange: true },
  );
  keepSecrets(
    workspace,
    owner,
    secrets.filter((file) => !isKept(workspace, owner, file)),
  );
  await keepBlobs(workspace, owner, stored.blobs);
  const lost = [...unreached, ...stored.leftOut];
  const named = [...lost, ...secrets.map((file) => leftOut(file, 'secret'))];
  if (named.length > 0) await noteOutside(workspace, named);
  return { ref: stored.blobs.size === 0 ? null : ownRef(owner), leftOut: lost };
}

function namesOf({ files, gitFiles }: WalkedTree): BytePath[] {
  return [...files.keys(), ...gitFiles.keys()].sort();
}

/** Makes a commit of the files, unless one holds all of them already. */
async function keepBlobs(
  workspace: Workspace,
  attempt: AttemptKey,
  blobs: ReadonlyMap<BytePath, Blob>,
): Promise<void> {
  if (blobs.size === 0) return;
  const lines = new Map<BytePath, string>();
  for (const [file, { mode, id }] of blobs) {
    const inFolder = `git-folder/${file.slice('.git/'.length)}`;
    const kind = mode === '120000' ? 'link' : 'file';
    const name = keptPath(inFolder, { kind, isTaken: (taken) => lines.has(taken) });
    lines.set(name, `${mode} ${id}\t${quoted(name)}`);
  }
  const known = await keptLines(workspace, attempt);
  if ([...lines.values()].every((line) => known.has(line))) return;
  const { clone, metaDir } = workspace;
  const index = path.join(metaDir, 'git-folder-index');
  const drop = () => {
    for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
  };
  const at = { cwd: clone.path, env: { GIT_INDEX_FILE: index } };
  drop();
  try {
    const stdin = [...lines.values()].map((line) => `${line}\n`).join('');
    await gitText(clone.git, ['update-index', '--add', '--index-info'], { ...at, stdin });
    const tree = await gitText(clone.git, ['write-tree'], at);
    const commit = await gitText(clone.git, ['commit-tree', tree, '-m', title], { cwd: clone.path });
    await keepTips(workspace, { attempt, tips: [commit] });
  } finally {
    drop();
  }
}

/** Files that earlier commits of this kind hold, as lines of an index. */
async function keptLines({ clone }: Workspace, attempt: AttemptKey): Promise<Set<string>> {
  const known = new Set<string>();
  if ((await clone.resolve(ownRef(attempt))) === null) return known;
  const at = { cwd: clone.path };
  const args = ['log', '--format=%H', '--fixed-strings', `--grep=${title}`, ownRef(attempt)];
  for (const commit of linesOf(await gitText(clone.git, args, at))) {
    const listed = await gitText(clone.git, ['-c', 'core.quotePath=true', 'ls-tree', '-r', commit], at);
    for (const line of linesOf(listed)) known.add(line.replace(/^(\d+) \w+ /, '$1 '));
  }
  return known;
}
