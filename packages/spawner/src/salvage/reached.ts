import { gitText } from '../git/git.ts';
import { linesOf } from '../tree/byte-path.ts';
import { attemptRef, ownRef, salvageRef, type AttemptKey } from '../tree/clone.ts';
import type { Workspace } from '../tree/workspace.ts';

const walkMs = 10 * 60_000;
/** Where refs of attempts are. */
const attemptRefs = ['refs/baton/attempts', 'refs/baton/salvage', 'refs/baton/own'];

/** Those that the clone has no object for. */
export async function notInClone({ clone }: Workspace, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const printed = await gitText(clone.git, ['cat-file', '--batch-check=%(objectname)'], {
    cwd: clone.path,
    stdin: ids.map((id) => `${id}\n`).join(''),
  });
  const lines = linesOf(printed);
  return ids.filter((_, at) => lines[at]?.endsWith(' missing') === true);
}

/**
 * Those of an agent's own objects that nothing of its attempt leads to. That the clone has an object says little: a commit that was
 * refused and a salvage that died write objects, too, and nothing holds on to them.
 */
export async function notReached(
  workspace: Workspace,
  { attempt, ids, commits }: { attempt: AttemptKey; ids: readonly string[]; commits: readonly string[] },
): Promise<string[]> {
  if (ids.length === 0) return [];
  const { clone, state } = workspace;
  const refs = [salvageRef(attempt), attemptRef(attempt), ownRef(attempt)];
  const tips = await Promise.all(refs.map((ref) => clone.resolve(ref)));
  const begin = state.startCommit === null ? [] : [state.startCommit];
  const own = [...tips.filter((id) => id !== null), ...commits];
  const unreached = await notUnder(clone, { ids, from: own, without: begin });
  const missing = new Set(await notInClone(workspace, unreached));
  // An agent may have copied what it was given: only then, or after such a refusal or death, all of the history is walked.
  const doubtful = unreached.filter((id) => !missing.has(id));
  return [...missing, ...(await notUnder(clone, { ids: doubtful, from: begin, without: [] }))];
}

/** Objects that none of the commits leads to. Where git cannot list what they lead to, all of them. */
async function notUnder(
  clone: Workspace['clone'],
  { ids, from, without }: { ids: readonly string[]; from: readonly string[]; without: readonly string[] },
): Promise<string[]> {
  if (ids.length === 0) return [];
  const told = await clone.git(['rev-list', '--objects', '--no-object-names', '--stdin'], {
    cwd: clone.path,
    stdin: [...from, ...without.map((id) => `^${id}`)].map((line) => `${line}\n`).join(''),
    timeoutMs: walkMs,
  });
  const there = new Set(told.exitCode === 0 ? linesOf(told.stdout) : []);
  return ids.filter((id) => !there.has(id));
}

/** Commits that are no parents of others in the list; all of them where their parents cannot be read. */
export async function tipsOf({ clone, gitDir }: Workspace, ids: readonly string[]): Promise<string[]> {
  const shown = await clone.git(
    ['--git-dir', gitDir, 'log', '--no-walk=unsorted', '--format=%P', '--stdin'],
    {
      cwd: clone.path,
      stdin: ids.map((id) => `${id}\n`).join(''),
    },
  );
  if (shown.exitCode !== 0) return [...ids];
  const parents = new Set(shown.stdout.split(/\s+/));
  return ids.filter((id) => !parents.has(id));
}

/**
 * Of commits in the clone, the outermost that no ref leads to which stays as long as this attempt's work: refs of other attempts may go
 * first, though they hold the same commit.
 */
export async function unkeptTips(
  { clone, state }: Workspace,
  { attempt, ids }: { attempt: AttemptKey; ids: readonly string[] },
): Promise<string[]> {
  if (ids.length === 0) return [];
  const refs = [salvageRef(attempt), attemptRef(attempt), ownRef(attempt)];
  const tips = await Promise.all(refs.map((ref) => clone.resolve(ref)));
  const kept = [...tips, state.startCommit].filter((id) => id !== null);
  const others = attemptRefs.map((folder) => `--exclude=${folder}/*`);
  const args = ['rev-list', '--parents', '--stdin', '--not', ...others, '--all'];
  const printed = await gitText(clone.git, args, {
    cwd: clone.path,
    stdin: [...ids, ...kept.map((id) => `^${id}`)].map((line) => `${line}\n`).join(''),
  });
  const lines = linesOf(printed).map((line) => line.split(' '));
  const parents = new Set(lines.flatMap(([, ...of]) => of));
  return lines.flatMap(([id = '']) => (parents.has(id) ? [] : [id]));
}
