import { printable, type Git } from '@baton/contracts';
import { parseDiff } from '../added-lines.ts';
import { defaultMaxFileBytes } from '../checks/no-large-files.ts';
import { newKeys } from '../checks/no-secrets.ts';
import { checkedName, checkedPath } from '../checks/no-unsound-files.ts';
import { filteredPaths } from '../filtered-paths.ts';
import { findKeys, keyShapes } from '../key-shapes.ts';
import { nameOfBytes, quotingNames } from '../printed-name.ts';
import { fields, gitText } from '../run-git.ts';
import { rawEntries, submoduleMode } from './tree-change.ts';

/** More commits than this land as one. */
const mostCommits = 100;

/** A commit that an agent made. */
export interface OwnCommit {
  id: string;
  parents: string[];
  tree: string;
  name: string;
  email: string;
  /** Git's raw date, e.g. `1700000000 +0100`. */
  date: string;
  /** Name of the encoding that its text has; empty: UTF-8. */
  encoding: string;
  message: string;
}

/** Commits that would be published, and what says of files which filter they have. */
export interface OwnRange {
  git: Git;
  clone: string;
  /** What is there already: neither it nor what it is made from counts. */
  from: string;
  headCommit: string;
  /** Attributes of the user's own repository, absolute; null or absent: none. */
  attributesFile?: string | null | undefined;
}

/**
 * The commits of a range, oldest first, or why they may not be published one by one: what the last tree does not have any more is in
 * the history in any case, so each commit is looked at as a change by itself. @throws GIT_FAILED
 */
export async function readOwnCommits(range: OwnRange): Promise<OwnCommit[] | { why: string }> {
  const commits = await listCommits(range);
  if (commits === null) return { why: `there are more than ${mostCommits} commits` };
  if (commits.length === 0) return { why: 'there is no commit besides those of the target' };
  const why = (await whyKeys(range, commits)) ?? (await whyFiles(range, commits));
  return why === null ? commits : { why };
}

/** Why the texts of commits may not be published as they are; null: they may. @throws GIT_FAILED */
export async function whyTexts(
  { git, clone: cwd }: OwnRange,
  commits: readonly OwnCommit[],
): Promise<string | null> {
  for (const { id, name, email, encoding, message } of commits) {
    const text = `${name}\n${email}\n${message}`;
    if (encoding !== '' || text.includes('\uFFFD')) return `the text of commit ${short(id)} is not UTF-8`;
    if (printable(text) !== text) return `the text of commit ${short(id)} has characters that are not shown`;
  }
  // Headers that git does not show are published as well.
  const stdin = commits.map(({ id }) => `${id}\n`).join('');
  const raw = await gitText(git, ['cat-file', '--batch'], { cwd, stdin });
  const [, ...headers] = raw.split(/^[0-9a-f]{40,64} commit \d+\n/m);
  const broken = headers.findIndex((text) => !soundHeader.test(text));
  if (broken >= 0)
    return `commit ${short(commits[broken]?.id ?? '')} has an author, committer or date that other gits refuse`;
  return findKeys(raw).length > 0 ? 'the text of a commit has what looks like a key' : null;
}

const person = String.raw`[^<>\n]* <[^<>\n]*> (?:0|[1-9]\d{0,17}) [+-]\d{4}\n`;

/** What `git fsck` asks of a commit: `fetch.fsckObjects`, and hosts, take no other. */
const soundHeader = new RegExp(
  String.raw`^tree [0-9a-f]+\n(?:parent [0-9a-f]+\n)*author ${person}committer ${person}`,
);

const short = (id: string): string => id.slice(0, 9);

async function listCommits({ git, clone: cwd, from, headCommit }: OwnRange): Promise<OwnCommit[] | null> {
  const args = [
    'log',
    '-z',
    '--reverse',
    '--topo-order',
    '--date=raw',
    '--encoding=UTF-8',
    '--no-show-signature',
  ];
  const limit = [`--max-count=${mostCommits + 1}`, '--format=%H%n%P%n%T%n%an%n%ae%n%ad%n%e%n%B'];
  const text = await gitText(git, [...args, ...limit, headCommit, `^${from}`], { cwd });
  const commits = fields(text).map((entry): OwnCommit => {
    const [id = '', parents = '', tree = '', name = '', email = '', date = '', encoding = '', ...message] =
      entry.split('\n');
    return {
      ...{ id, tree, name, email, date, encoding, message: message.join('\n') },
      parents: parents.split(' ').filter((parent) => parent !== ''),
    };
  });
  return commits.length > mostCommits ? null : commits;
}

/** Changes of each commit against its first parent, without what settings of a user would do to them. */
const eachChange = [
  'log',
  '--no-walk=unsorted',
  '--stdin',
  '--diff-merges=first-parent',
  '--root',
  '--no-renames',
];

/** A key in a line that one of the commits adds. */
async function whyKeys({ git, clone: cwd }: OwnRange, commits: readonly OwnCommit[]): Promise<string | null> {
  const stdin = commits.map(({ id }) => `${id}\n`).join('');
  const hints = keyShapes.map(({ hint }) => hint).join('|');
  const plain = ['--text', '--no-prefix', '--no-ext-diff', '--no-textconv', '--no-color', '--format==%H'];
  const read = await git([...eachChange, '-p', '-U0', ...plain, `-G(${hints})`], { cwd, stdin });
  if (read.exitCode !== 0 || read.truncated) return 'its commits are too large to be looked through for keys';
  // No line of a diff begins with "=".
  const [, ...changes] = read.stdout.split(/^=([0-9a-f]{40,64})$/m);
  for (let at = 0; at < changes.length; at += 2) {
    const [found] = newKeys(parseDiff(changes[at + 1] ?? ''));
    if (found !== undefined) return `commit ${short(changes[at] ?? '')} adds what looks like a key: ${found}`;
  }
  return null;
}

/** Files that no commit may bring, also when a later one takes them away: large ones, and raw content of those with a filter. */
async function whyFiles(range: OwnRange, commits: readonly OwnCommit[]): Promise<string | null> {
  const { git, clone: cwd, headCommit, attributesFile = null } = range;
  const stdin = commits.map(({ id }) => `${id}\n`).join('');
  const args = [...quotingNames, ...eachChange, '--raw', '--no-abbrev', '--format='];
  const listed = (await gitText(git, args, { cwd, stdin })).split('\n');
  const changes = rawEntries(listed.filter((line) => line.startsWith(':')).join('\n')).map(
    ({ path, after }) => ({
      ...{ path: nameOfBytes(path), id: after?.id ?? '' },
      isFile: after !== null && after.mode !== submoduleMode,
    }),
  );
  const files = changes.filter(({ isFile }) => isFile);
  const sizes = await gitText(git, ['cat-file', '--batch-check'], {
    cwd,
    stdin: files.map(({ id }) => `${id}\n`).join(''),
  });
  const large = sizes.split('\n').findIndex((line) => Number(line.split(' ')[2]) > defaultMaxFileBytes);
  if (large >= 0) return `a commit has ${files[large]?.path ?? 'a file'} above the limit of a file`;
  if (commits.length < 2) return null;
  const ofGit = changes.map(({ path }) => checkedName(checkedPath(path) ?? '')).find((name) => name !== null);
  if (ofGit !== undefined) return `a commit changes ${ofGit}`;
  const paths = [...new Set(files.map(({ path }) => path))];
  if (paths.length === 0) return null;
  const [raw] = await filteredPaths({ git, repo: cwd, tree: headCommit, paths, attributesFile });
  return raw === undefined ? null : `a commit changes ${raw.path}, which has the filter ${raw.filter}`;
}
