import { lstatSync } from 'node:fs';
import { BatonError } from '@baton/contracts';
import { gitText } from '../git/git.ts';
import { importAgentHead, isRealFolder } from '../tree/agent-git.ts';
import type { BytePath } from '../tree/byte-path.ts';
import { captureTree, type Captured } from './capture.ts';
import type { ListTools } from '../tree/changed-since.ts';
import { attemptRef, salvageRef, type AttemptKey } from '../tree/clone.ts';
import { fullDisk, namingDisk } from '../process/full-disk.ts';
import { canBeKept, isKept, keepSecrets } from './kept-secrets.ts';
import { isUnsaved, leftOutLines, nameOf, type LeftOut } from '../tree/left-out.ts';
import { bounded, keepLeftOut } from '../tree/left-out-record.ts';
import { keepGitFolder } from './git-folder.ts';
import { keepOwnWork, type OwnWork } from './own-work.ts';
import { isSettled } from './settled.ts';
import { regainRights } from '../tree/own-rights.ts';
import { saveState, type Workspace } from '../tree/workspace.ts';

/** Whose work is saved, and how. */
export interface SalvageOptions extends AttemptKey {
  /** True while the agent works. */
  isLive?: boolean;
  /** With these a tree that was just committed, and in which nothing has changed since, is not looked through again. */
  tools?: ListTools;
}

/**
 * Saves all that an agent left: the whole tree, untracked files included and byte for byte, as a commit at
 * `refs/baton/salvage/<task>/<fence>` in the clone, and what its own repository holds besides (stashes, other branches,
 * commits that nothing names, staged content) at `refs/baton/own/<task>/<fence>`. Returns the first of these that there
 * is; null when all of it is kept already. Secret-like files are listed and copied to a folder of this machine, since
 * the ref may be pushed; a tree that has nothing new but such a file gets a ref, too: only from there it is found again.
 * What is in neither ref is listed, with reasons, in a blob at `refs/baton/left-out/<task>/<fence>`.
 *
 * On a full disk it throws and changes nothing: saved again later, all of it is saved. Else it does not fail: what could not be saved is noted in the workspace's state as `unsaved`, and taking the
 * workspace back or resetting it sets the tree aside instead of clearing it.
 *
 * @param attempt.isLive True while the agent works: nothing in the tree or its git folder is changed, and of its own
 * commits only the content of the tree is kept. Source: docs/spec/agents.md#salvage.
 * @throws WORKSPACE_FAILED when the disk is full
 */
export function salvage(workspace: Workspace, attempt: SalvageOptions): Promise<string | null> {
  return namingDisk(workspace.metaDir, () => salvageNow(workspace, attempt));
}

async function salvageNow(
  workspace: Workspace,
  { isLive = false, tools, ...attempt }: SalvageOptions,
): Promise<string | null> {
  if (!isLive) regainRights(workspace);
  if (workspace.state.startCommit === null || !isThere(workspace.path)) return null;
  try {
    if (!isRealFolder(workspace.path)) throw new Error('the worktree was replaced by something else');
    const saved = await save(workspace, { attempt, isLive, tools });
    const lost = saved.leftOut.filter(isUnsaved);
    const full = lost.length === 0 ? null : fullDisk(workspace.metaDir, null);
    if (full !== null) throw full;
    if (lost.length > 0 && !isLive)
      saveState(workspace, { unsaved: { why: whyOf(lost), leftOut: saved.leftOut } });
    return saved.ref;
  } catch (error) {
    if (isLive || (BatonError.is(error) && error.code === 'GIT_MISSING')) throw error;
    const full = fullDisk(workspace.metaDir, error);
    if (full !== null) throw full;
    const why = (error instanceof Error ? error.message : String(error)).slice(0, 1_000);
    saveState(workspace, { unsaved: { why, leftOut: [] } });
    return workspace.clone
      .resolve(salvageRef(attempt))
      .then((found) => (found === null ? null : salvageRef(attempt)));
  } finally {
    // Saved work is still in the tree: the next task may not begin on it.
    if (!isLive) saveState(workspace, { head: null });
  }
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function whyOf(lost: readonly LeftOut[]): string {
  const [first] = lost;
  const more = lost.length > 1 ? ` and ${lost.length - 1} more` : '';
  return `${first?.file ?? ''}${more} could not be saved (${first?.detail ?? first?.reason ?? ''})`;
}

const nothing: OwnWork = { ref: null, leftOut: [] };

async function save(
  workspace: Workspace,
  { attempt, isLive, tools }: { attempt: AttemptKey; isLive: boolean; tools: ListTools | undefined },
): Promise<{ ref: string | null; leftOut: LeftOut[] }> {
  const { state } = workspace;
  const inGit = isLive ? nothing : await keepGitFolder(workspace);
  const agentHead = isLive ? null : await importAgentHead(workspace);
  const isUntouched = inGit.ref === null && inGit.leftOut.length === 0;
  if (!isLive && isUntouched && (await isSettled(workspace, { attempt, agentHead, tools }))) return nothing;
  const from = agentHead ?? state.head ?? state.startCommit;
  // A salvage is written back byte for byte, so it may not rely on what attributes make of a commit of the agent's.
  const isCheckedOut = async () =>
    isLive || from === state.startCommit || from === (await workspace.clone.resolve(attemptRef(attempt)));
  const captured = await captureTree(workspace, { from, isLive, isCheckedOut });
  const tree = await keepTree(workspace, { attempt, agentHead, captured });
  const own = isLive ? nothing : await keepOwnWork(workspace, attempt);
  const leftOut = [...inGit.leftOut, ...own.leftOut, ...captured.leftOut];
  if (!isLive) {
    await keepLeftOut(workspace.clone, attempt, leftOut).catch((error: unknown) => {
      // What nothing names may not be cleared away either.
      leftOut.push({
        file: './',
        reason: 'incomplete',
        detail: `the list of the rest: ${String(error).slice(0, 300)}`,
      });
    });
  }
  return { ref: tree ?? own.ref ?? inGit.ref, leftOut: bounded(leftOut) };
}

async function keepTree(
  workspace: Workspace,
  { attempt, agentHead, captured }: { attempt: AttemptKey; agentHead: string | null; captured: Captured },
): Promise<string | null> {
  const { clone, state } = workspace;
  const base = state.startCommit ?? '';
  const isCopied = new Set(captured.secrets.filter((file) => canBeKept(workspace, file)));
  const leftOut = captured.leftOut.map((one) => asTooLarge(one, { secrets: captured.secrets, isCopied }));
  captured.leftOut.splice(0, captured.leftOut.length, ...leftOut);
  const secrets = [...isCopied];
  const places =
    secrets.length === 0 ? [base, salvageRef(attempt), attemptRef(attempt)] : [salvageRef(attempt)];
  const areKept = secrets.every((file) => isKept(workspace, attempt, file));
  if (areKept && (await isTreeOfAny(workspace, { tree: captured.tree, revs: places }))) return null;
  keepSecrets(workspace, attempt, secrets);
  const message = [
    `Salvage of task ${attempt.taskId}, fence ${attempt.fence}`,
    '',
    `Task-Id: ${attempt.taskId}`,
    ...leftOutLines(leftOut),
  ].join('\n');
  const earlier = await clone.resolve(salvageRef(attempt));
  const parents = new Set([base, agentHead, earlier].filter((commit) => commit !== null));
  const args = ['commit-tree', captured.tree, ...[...parents].flatMap((commit) => ['-p', commit]), '-F', '-'];
  const commit = await gitText(clone.git, args, { cwd: clone.path, stdin: message });
  await gitText(clone.git, ['update-ref', salvageRef(attempt), commit], { cwd: clone.path });
  return salvageRef(attempt);
}

/** A secret-like file that is too large for this machine's folder is nowhere else. */
function asTooLarge(
  one: LeftOut,
  { secrets, isCopied }: { secrets: readonly BytePath[]; isCopied: ReadonlySet<BytePath> },
): LeftOut {
  if (one.reason !== 'secret') return one;
  const file = secrets.find((secret) => nameOf(secret) === one.file);
  return file === undefined || isCopied.has(file)
    ? one
    : { ...one, reason: 'large', detail: 'it may hold secrets' };
}

async function isTreeOfAny(
  { clone }: Workspace,
  { tree, revs }: { tree: string; revs: readonly string[] },
): Promise<boolean> {
  const printed = await gitText(clone.git, ['cat-file', '--batch-check=%(objectname)'], {
    cwd: clone.path,
    stdin: revs.map((rev) => `${rev}^{tree}\n`).join(''),
  });
  return printed.split('\n').includes(tree);
}
