import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mergeVariables } from '../merge-options.ts';
import { gitFailed } from '../run-git.ts';
import { isDirty } from './checkout.ts';
import { filesInTheWay } from './files-in-the-way.ts';
import { refusedByMerge, takeBack } from './forward-checkout.ts';
import { changesUnseenByGit, hiddenChanges, type HiddenChange } from './hidden-changes.ts';
import { transaction } from './move-refs.ts';
import { targetUse, unfinishedFiles } from './target-use.ts';
import { whereRefsStand, type LaneMove, type MoveOutcome } from './lane-move.ts';

/** What the hook says when another branch, maybe of the same commit, was checked out since the worktree was found. */
const headLeft = 'HEAD left the target';

/** What the hook says when a person has begun a merge, a rebase or the like since it was looked for. */
const begun = 'an operation on the target was begun';

/** What the hook says when a signal ended the merge: its locks may be left. */
const mergeKilled = 'the merge was killed';

/**
 * Git calls this when the lane ref is locked at its expected value and not yet moved; the move is given up unless it succeeds. The
 * merge it runs has hooks off again, and options and a strategy that a user's settings could otherwise set.
 */
const holdAndMerge = `#!/bin/sh
[ "$1" = prepared ] || exit 0
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_COMMON_DIR GIT_QUARANTINE_PATH
cd "$BATON_WORKTREE" || exit 1
[ "$(git symbolic-ref -q HEAD)" = "$BATON_REF" ] || { echo "${headLeft}" >&2; exit 1; }
folder=$(git rev-parse --git-dir) || exit 1
for file in ${unfinishedFiles.join(' ')}; do
  [ ! -e "$folder/$file" ] || { echo "${begun}" >&2; exit 1; }
done
[ "$(git rev-parse HEAD)" = "$BATON_FROM" ] || exit 1
git -c core.hooksPath=/dev/null -c submodule.recurse=false -c pull.twohead=ort \\
  --config-env="branch.\${BATON_REF#refs/heads/}.mergeOptions=BATON_NO_OPTIONS" merge --ff-only --commit --no-squash --no-autostash \\
  --no-verify-signatures --no-overwrite-ignore --no-stat --quiet "$BATON_TO" >&2
status=$?
[ "$status" -le 128 ] || echo "${mergeKilled}" >&2
[ "$status" -ne 0 ] || [ "$(git rev-parse HEAD)" = "$BATON_TO" ] || exit 1
exit "$status"
`;

/** Where a target is checked out. */
interface Checkout {
  worktree: string;
  /** The branch there: the target, or the one that it leads to. */
  ref: string;
}

/**
 * Moves a target that is checked out: `git merge --ff-only` in its worktree, run by git itself in the middle of a prepared transaction
 * on the lane ref. A holder that lost its lane never gets to the merge, and the lane cannot be taken while the merge runs.
 * @throws GIT_FAILED
 */
export async function moveCheckedOut(move: LaneMove, checkout: Checkout): Promise<MoveOutcome> {
  const blocked = (files: string[]): MoveOutcome => ({
    ...{ kind: 'blocked', blocked: 'checkout_dirty', path: checkout.worktree },
    files,
  });
  const unseen = (hidden: HiddenChange[]): MoveOutcome => ({
    ...{ kind: 'blocked', blocked: 'checkout_hidden', path: checkout.worktree },
    hidden,
  });
  if (await isDirty(move.git, checkout.worktree)) return (await whereRefsStand(move)) ?? blocked([]);
  const range = { worktree: checkout.worktree, from: move.from, to: move.to };
  const overwritten = await changesUnseenByGit(move.git, range);
  if (overwritten.length > 0) return (await whereRefsStand(move)) ?? unseen(overwritten);
  const inTheWay = await filesInTheWay(move.git, range);
  if (inTheWay.length > 0) return (await whereRefsStand(move)) ?? blocked(inTheWay);

  const args = [
    '-c',
    `core.hooksPath=${await ensureHook(join(move.stateDir, 'landing-hook'))}`,
    'update-ref',
    '--stdin',
  ];
  const result = await move.git(args, {
    cwd: move.repo,
    stdin: transaction([{ ref: move.lane.ref, from: move.lane.value, to: move.next.value }]),
    timeoutMs: mergeTimeoutMs,
    userFiles: true,
    env: { LC_ALL: 'C', ...variablesOf(move, checkout) },
  });
  if (result.exitCode === 0) return { kind: 'moved', lane: move.next };
  const outcome = await whereRefsStand(move);
  if (outcome !== null) return outcome;
  if (result.stderr.includes(headLeft)) return { kind: 'lost_race' };
  const use = await targetUse(move.git, move);
  if (use !== null) return { kind: 'blocked', blocked: 'target_in_use', use };
  if (result.stderr.includes(begun)) return { kind: 'lost_race' };
  // Untracked files in the way, or a change that a flag hides: git refused before it touched anything.
  if (result.exitCode !== null && refusedByMerge.test(result.stderr)) {
    const files = filesNamed(result.stderr);
    const hidden = files.length > 0 ? [] : await hiddenChanges(move.git, range);
    return hidden.length > 0 ? unseen(hidden) : blocked(files);
  }
  // The git around it ended by itself, the one inside did not.
  if (result.stderr.includes(mergeKilled))
    throw gitFailed(args, { ...result, exitCode: null, signal: 'SIGKILL' });
  // What failed half-way, e.g. since a filter did, must not look like a person's changes.
  if (result.exitCode !== null) await takeBack(move.git, range);
  throw gitFailed(args, result);
}

const variablesOf = (move: LaneMove, checkout: Checkout): Record<string, string> => ({
  BATON_WORKTREE: checkout.worktree,
  BATON_REF: checkout.ref,
  BATON_FROM: move.from,
  BATON_TO: move.to,
  ...mergeVariables,
});

/** A checkout of a very large tree on a slow disk; a merge that is killed half-way leaves lock files. */
const mergeTimeoutMs = 600_000;

const namesUntracked =
  /(?:untracked working tree files would be (?:overwritten|removed) by merge|would lose untracked files in them):\n((?:\t.*\n)*)/;

/** The untracked files and folders that git names in its refusal, one a line, indented. */
function filesNamed(stderr: string): string[] {
  const [, list = ''] = namesUntracked.exec(stderr) ?? [];
  return list.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(1)]));
}

async function ensureHook(folder: string): Promise<string> {
  const path = join(folder, 'reference-transaction');
  if ((await readFile(path, 'utf8').catch(() => null)) === holdAndMerge) return folder;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `draft-${process.pid}`);
  await writeFile(draft, holdAndMerge);
  await chmod(draft, 0o700);
  await rename(draft, path);
  return folder;
}
