import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { shellWord, type Git } from '@baton/contracts';
import { filteredPaths } from '../filtered-paths.ts';
import { printedName, quotedBytes, quotingNames } from '../printed-name.ts';
import { gitFailed, gitText } from '../run-git.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { submoduleMode, treeChange } from './tree-change.ts';

/** A tracked file of a checkout that was changed without `git status` showing it, and what hides the change. */
export interface HiddenChange {
  path: string;
  by: 'assume-unchanged' | 'skip-worktree' | 'stat';
}

interface Range {
  worktree: string;
  from: string;
  to: string;
}

/**
 * Hidden changes to what a move from one commit to another writes, found by content: an index that was made just now trusts neither
 * flags nor times. A deletion loses nothing and does not count, nor does a file that a filter converts.
 * @throws GIT_FAILED
 */
export async function hiddenChanges(git: Git, { worktree: cwd, from, to }: Range): Promise<HiddenChange[]> {
  const entries: string[] = [];
  for (const { path, before } of await treeChange(git, { cwd, from, to }))
    if (before !== null && before.mode !== submoduleMode)
      entries.push(`${before.mode} ${before.id}\t${quotedBytes(path)}\n`);
  if (entries.length === 0) return [];
  const changed = await changedContent(git, { cwd, entries });
  if (changed.length === 0) return [];
  const options = { git, repo: cwd, tree: from, paths: changed, attributesFile: null };
  const filtered = new Set((await filteredPaths(options)).map(({ path }) => path));
  const paths = new Set(changed.filter((path) => !filtered.has(path)));
  if (paths.size === 0) return [];
  // All of the index: names do not fit into arguments.
  return (await gitText(git, [...quotingNames, 'ls-files', '-v'], { cwd }))
    .split('\n')
    .map((line) => ({ path: printedName(line.slice(2)), by: hiddenBy(line[0] ?? '') }))
    .filter(({ path }) => paths.has(path));
}

/**
 * The hidden changes that git itself would overwrite: where a repository's settings make it compare less than it could
 * (`core.trustctime`, `core.checkStat`), an edit of the same size and time is none to git.
 * @throws GIT_FAILED
 */
export async function changesUnseenByGit(git: Git, range: Range): Promise<HiddenChange[]> {
  const args = ['config', '--get-regexp', '^core\\.(checkstat|trustctime)$'];
  const { stdout } = await git(args, { cwd: range.worktree });
  if (!/^core\.(checkstat minimal|trustctime (false|no|off|0))$/im.test(stdout)) return [];
  return hiddenChanges(git, range);
}

const namedFiles = 5;
/** Files that one command of the way out names; those after them are named once these are done. */
const filesAtOnce = 50;

/** What is hidden where, and the commands that make git show it: two sentences. */
export function hiddenText(
  target: string,
  { path: worktree, hidden }: { path: string; hidden: readonly HiddenChange[] },
): { what: string; fix: string } {
  const names = hidden.slice(0, namedFiles).map(({ path }) => path);
  const more = hidden.length > namedFiles ? ` and ${hidden.length - namedFiles} more` : '';
  const first = hidden.slice(0, filesAtOnce);
  const all = first.map(({ path }) => shellName(path)).join(' ');
  const commands = (['assume-unchanged', 'skip-worktree', 'stat'] as const).flatMap((by) => {
    const files = first.filter((one) => one.by === by).map(({ path }) => path);
    if (files.length === 0) return [];
    const words = (folder?: string): string => files.map((file) => shellName(file, folder)).join(' ');
    if (by === 'stat') return [`\`touch ${words(worktree)}\``];
    return [`\`git -C ${shellWord(worktree)} update-index --no-${by} -- ${words()}\``];
  });
  return {
    what: `${target} is checked out in ${worktree}, with changes that \`git status\` does not show: ${names.join(', ')}${more}.`,
    fix: `Make git show them with ${commands.join(' and ')}, then commit them, or set just these files aside with \`git -C ${shellWord(worktree)} stash push -- ${all}\`.`,
  };
}

/** A path of `printedName` as a word for a POSIX shell, which makes bytes of its escapes. */
function shellName(path: string, folder = ''): string {
  if (/[^\0-\x7f]/.test(path) || !/\\[2-3][0-7]{2}/.test(path)) return shellWord(join(folder, path));
  const format = path.replaceAll('%', '%%').replace(/\\(?![2-3][0-7]{2})/g, '\\\\');
  return `${folder === '' ? '' : shellWord(`${folder}/`)}"$(printf ${shellWord(format)})"`;
}

/** Paths, as `printedName` has them, whose file differs from an index that holds just these entries. Ends of line do not count: the user's git may convert them. */
async function changedContent(
  git: Git,
  { cwd, entries }: { cwd: string; entries: readonly string[] },
): Promise<string[]> {
  const folder = await makeTemporaryFolder('baton-index-');
  const settings = ['core.ignoreStat=false', 'core.splitIndex=false'].flatMap((one) => ['-c', one]);
  const options = { cwd, env: { GIT_INDEX_FILE: join(folder, 'index') }, userFiles: true };
  try {
    const load = [...settings, 'update-index', '--index-info'];
    await gitText(git, load, { ...options, stdin: entries.join('') });
    const refresh = [...settings, 'update-index', '-q', '--refresh'];
    const refreshed = await git(refresh, options);
    if (refreshed.exitCode !== 0 && refreshed.exitCode !== 1) throw gitFailed(refresh, refreshed);
    const compare = ['--numstat', '--no-renames', '--ignore-cr-at-eol', '--diff-filter=d'];
    const args = [...settings, ...quotingNames, 'diff-files', ...compare];
    const found = (await gitText(git, args, options)).split('\n').filter((line) => line !== '');
    const differing = found.filter((line) => !line.startsWith('0\t0\t'));
    return differing.map((line) => printedName(line.split('\t').slice(2).join('\t')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The tags of `git ls-files -v`: lower case for assume-unchanged, S for skip-worktree. */
function hiddenBy(tag: string): HiddenChange['by'] {
  if (tag.toLowerCase() === 's') return 'skip-worktree';
  return tag === tag.toLowerCase() ? 'assume-unchanged' : 'stat';
}
