import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shellText, shellWord, type Git } from '@baton/contracts';
import { filteredPaths } from '../filtered-paths.ts';
import { fields, gitFailed, gitText } from '../run-git.ts';

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
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--diff-filter=a', from, to];
  const raw = fields(await gitText(git, args, { cwd }));
  const entries: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [mode = '', , id = ''] = raw[at]?.slice(1).split(' ') ?? [];
    if (mode !== '160000') entries.push(`${mode} ${id}\t${raw[at + 1] ?? ''}\0`);
  }
  if (entries.length === 0) return [];
  const changed = await changedContent(git, { cwd, entries });
  if (changed.length === 0) return [];
  const options = { git, repo: cwd, tree: from, paths: changed, attributesFile: null };
  const filtered = new Set((await filteredPaths(options)).map(({ path }) => path));
  const paths = changed.filter((path) => !filtered.has(path));
  if (paths.length === 0) return [];
  const literal = paths.map((path) => `:(literal)${path}`);
  const flags = fields(await gitText(git, ['ls-files', '-v', '-z', '--', ...literal], { cwd }));
  return flags.map((line) => ({ path: line.slice(2), by: hiddenBy(line[0] ?? '') }));
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

/** What is hidden where, and the commands that make git show it: two sentences. */
export function hiddenText(
  target: string,
  { path: worktree, hidden }: { path: string; hidden: readonly HiddenChange[] },
): { what: string; fix: string } {
  const names = hidden.slice(0, namedFiles).map(({ path }) => path);
  const more = hidden.length > namedFiles ? ` and ${hidden.length - namedFiles} more` : '';
  const all = shellText(hidden.map(({ path }) => path));
  const commands = (['assume-unchanged', 'skip-worktree', 'stat'] as const).flatMap((by) => {
    const files = hidden.filter((one) => one.by === by).map(({ path }) => path);
    if (files.length === 0) return [];
    if (by === 'stat') return [`\`touch ${shellText(files.map((file) => join(worktree, file)))}\``];
    return [`\`git -C ${shellWord(worktree)} update-index --no-${by} -- ${shellText(files)}\``];
  });
  return {
    what: `${target} is checked out in ${worktree}, with changes that \`git status\` does not show: ${names.join(', ')}${more}.`,
    fix: `Make git show them with ${commands.join(' and ')}, then commit them, or set just these files aside with \`git -C ${shellWord(worktree)} stash push -- ${all}\`.`,
  };
}

/** Paths whose file differs from an index that holds just these entries. Ends of line do not count: the user's git may convert them. */
async function changedContent(
  git: Git,
  { cwd, entries }: { cwd: string; entries: readonly string[] },
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-index-'));
  const settings = ['core.ignoreStat=false', 'core.splitIndex=false'].flatMap((one) => ['-c', one]);
  const options = { cwd, env: { GIT_INDEX_FILE: join(folder, 'index') }, userFiles: true };
  try {
    const load = [...settings, 'update-index', '-z', '--index-info'];
    await gitText(git, load, { ...options, stdin: entries.join('') });
    const refresh = [...settings, 'update-index', '-q', '--refresh'];
    const refreshed = await git(refresh, options);
    if (refreshed.exitCode !== 0 && refreshed.exitCode !== 1) throw gitFailed(refresh, refreshed);
    const compare = ['--numstat', '-z', '--no-renames', '--ignore-cr-at-eol', '--diff-filter=d'];
    const found = fields(await gitText(git, [...settings, 'diff-files', ...compare], options));
    const differing = found.filter((entry) => !entry.startsWith('0\t0\t'));
    return differing.map((entry) => entry.split('\t').slice(2).join('\t'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The tags of `git ls-files -v`: lower case for assume-unchanged, S for skip-worktree. */
function hiddenBy(tag: string): HiddenChange['by'] {
  if (tag.toLowerCase() === 's') return 'skip-worktree';
  return tag === tag.toLowerCase() ? 'assume-unchanged' : 'stat';
}
