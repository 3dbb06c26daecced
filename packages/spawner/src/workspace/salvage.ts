import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { gitText } from '../git.ts';
import { processStart } from '../process-table.ts';
import { importAgentHead, isRealFolder } from './agent-git.ts';
import { attemptRef, salvageRef, type AttemptKey, type Clone, type SalvageRef } from './clone.ts';
import { isSecretLike } from './secret-files.ts';
import { forcedFiles, stageTree } from './stage.ts';
import type { Workspace } from './workspace.ts';

const largestBytes = 200 * 1024 * 1024;
const largestSecretBytes = 1024 * 1024;
const leftOutMark = 'Left-Out: ';

/** What {@link listSalvage} tells of one salvaged tree. */
export interface SalvagedTree extends SalvageRef {
  /** When it was saved, ISO 8601. */
  savedAt: string;
  /** Files that were there but are not in it: larger than 200 MB, or likely to hold secrets. */
  leftOut: string[];
}

/**
 * Commits the whole tree, untracked files included, to `refs/baton/salvage/<task>/<fence>` in the clone, and returns
 * the ref; null when the tree holds nothing that is not kept already. Files over 200 MB are only listed; files that
 * look like secrets are listed and copied to a folder of this machine, since the ref may be pushed. A tree that has
 * nothing new but such a file gets a ref, too: only from there it is found again.
 *
 * @param attempt.isLive True while the agent works: its git folder is left alone, so that its own commits are kept
 * as content only. Source: agents.md §1.
 */
export async function salvage(
  workspace: Workspace,
  attempt: AttemptKey & { isLive?: boolean },
): Promise<string | null> {
  const { clone, state } = workspace;
  const base = state.startCommit;
  if (base === null || !isRealFolder(workspace.path)) return null;
  const agentHead = attempt.isLive ? null : await importAgentHead(workspace);
  const index = path.join(workspace.metaDir, 'salvage-index');
  const forced =
    agentHead === null ? [] : (await forcedFiles(workspace)).filter((file) => !isSecretLike(file));
  const isLarge = (file: string) =>
    (lstatSync(path.join(workspace.path, file), { throwIfNoEntry: false })?.size ?? 0) > largestBytes;
  const leaveOut = (file: string) => isSecretLike(file) || isLarge(file);
  const { tree, leftOut } = await stageTree(workspace, {
    index,
    from: agentHead ?? state.head,
    forced,
    leaveOut,
    tolerant: true,
  });
  rmSync(index, { force: true });

  const secrets = leftOut.filter((file) => isSecretLike(file) && canBeKept(workspace, file));
  const places =
    secrets.length === 0 ? [base, salvageRef(attempt), attemptRef(attempt)] : [salvageRef(attempt)];
  const areKept = secrets.every((file) => isKept(workspace, attempt, file));
  if (areKept && (await isTreeOfAny(clone, tree, places))) return null;
  keepSecrets(workspace, attempt, secrets);
  const message = [
    `Salvage of task ${attempt.taskId}, fence ${attempt.fence}`,
    '',
    `Task-Id: ${attempt.taskId}`,
    ...leftOut.map((file) => `${leftOutMark}${JSON.stringify(file)}`),
  ].join('\n');
  const parents = [...new Set([base, ...(agentHead === null ? [] : [agentHead])])].flatMap((commit) => [
    '-p',
    commit,
  ]);
  const commit = await gitText(clone.git, ['commit-tree', tree, ...parents, '-F', '-'], {
    cwd: clone.path,
    stdin: message,
  });
  await gitText(clone.git, ['update-ref', salvageRef(attempt), commit], { cwd: clone.path });
  return salvageRef(attempt);
}

async function isTreeOfAny(clone: Clone, tree: string, revs: readonly string[]): Promise<boolean> {
  for (const rev of revs) {
    const found = await clone.git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${rev}^{tree}`], {
      cwd: clone.path,
    });
    if (found.exitCode === 0 && found.stdout.trimEnd() === tree) return true;
  }
  return false;
}

function secretsFolder(clone: Clone, { taskId, fence }: AttemptKey): string {
  return path.join(path.dirname(clone.path), 'kept-files', taskId, String(fence));
}

function canBeKept(workspace: Workspace, file: string): boolean {
  const stat = lstatSync(path.join(workspace.path, file), { throwIfNoEntry: false });
  return stat !== undefined && stat.isFile() && stat.size <= largestSecretBytes;
}

/** A copy that was cut off by a crash counts for nothing. */
function isKept(workspace: Workspace, attempt: AttemptKey, file: string): boolean {
  const copy = path.join(secretsFolder(workspace.clone, attempt), file);
  return existsSync(copy) && readFileSync(copy).equals(readFileSync(path.join(workspace.path, file)));
}

function keepSecrets(workspace: Workspace, attempt: AttemptKey, files: readonly string[]): void {
  for (const file of files) {
    const source = path.join(workspace.path, file);
    const target = path.join(secretsFolder(workspace.clone, attempt), file);
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    copyFileSync(source, target);
  }
}

/** What was salvaged, of one task or of all, oldest fence first. */
export async function listSalvage(clone: Clone, taskId?: string): Promise<SalvagedTree[]> {
  const found = await clone.salvageRefs(taskId);
  return Promise.all(
    found.map(async (one) => {
      const shown = await gitText(clone.git, ['show', '--no-patch', '--format=%cI%n%B', one.commit], {
        cwd: clone.path,
      });
      const [savedAt = '', ...lines] = shown.split('\n');
      const leftOut = lines
        .filter((line) => line.startsWith(leftOutMark))
        .map((line) => JSON.parse(line.slice(leftOutMark.length)) as string);
      return { ...one, savedAt, leftOut };
    }),
  );
}

/**
 * Writes a salvaged tree into a new or empty folder, with the secret-like files that this machine kept.
 *
 * @returns How many files of the tree were written and which are missing.
 * @throws NOT_FOUND when there is no such ref, CONFLICT when the folder holds something
 */
export async function restoreSalvage(
  clone: Clone,
  ref: string,
  { into }: { into: string },
): Promise<{ files: number; missing: string[] }> {
  const entry = (await listSalvage(clone)).find((one) => one.ref === ref);
  if (entry === undefined) {
    throw new BatonError('NOT_FOUND', `There is no salvage "${ref}".`, {
      fix: '`baton rescue <task>` lists what there is.',
    });
  }
  mkdirSync(into, { recursive: true });
  if (readdirSync(into).length > 0) {
    throw new BatonError('CONFLICT', `The folder ${into} is not empty.`, {
      fix: 'Name a new folder; nothing in it would be kept apart.',
    });
  }
  removeDeadIndexes(path.dirname(clone.path));
  const index = path.join(path.dirname(clone.path), `restore-index-${process.pid}`);
  const at = { cwd: into, env: { GIT_INDEX_FILE: index } };
  const own = ['--git-dir', clone.path, '--work-tree', into];
  try {
    await gitText(clone.git, [...own, 'read-tree', '--reset', '-u', entry.commit], at);
    const listed = await gitText(clone.git, [...own, 'ls-files', '-z'], at);
    const missing = entry.leftOut.filter((file) => !restoreSecret(clone, entry, { file, into }));
    return { files: listed.split('\0').filter((file) => file !== '').length, missing };
  } finally {
    rmSync(index, { force: true });
  }
}

/** What a restore left that was killed. */
function removeDeadIndexes(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = /^restore-index-(\d+)(\.lock)?$/.exec(name) ?? [];
    if (pid !== undefined && processStart(Number(pid)) === null)
      rmSync(path.join(folder, name), { force: true });
  }
}

function restoreSecret(
  clone: Clone,
  attempt: AttemptKey,
  { file, into }: { file: string; into: string },
): boolean {
  const source = path.join(secretsFolder(clone, attempt), file);
  if (!existsSync(source)) return false;
  mkdirSync(path.dirname(path.join(into, file)), { recursive: true });
  copyFileSync(source, path.join(into, file));
  return true;
}
