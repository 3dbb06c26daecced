import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';

import { runGit } from './git.ts';

/** A repository at one moment: each thing under a name such as `file src/a.ts`, `ref refs/heads/main`, `HEAD`. */
export type RepoSnapshot = Readonly<Record<string, string>>;

/** One thing that differs between two snapshots. */
export interface SnapshotDifference {
  /** For example `ref refs/heads/main` or `file src/a.ts`. */
  what: string;
  before: string | undefined;
  after: string | undefined;
}

/** What {@link diffSnapshots} looks over. */
export interface DiffSnapshotsOptions {
  /** Names that may differ, for example `/^ref refs\/(heads\/)?baton\//`. */
  except?: readonly RegExp[];
}

/**
 * Records what a user owns in a repository: every file of the working tree (ignored ones too) with mode and hash,
 * the index's entries, HEAD, config, hooks, other files that steer git, and all refs.
 */
export async function takeSnapshot(root: string): Promise<RepoSnapshot> {
  const things: Record<string, string> = {};
  const gitDir = await runGit(root, ['rev-parse', '--absolute-git-dir']);
  await addFiles(things, { folder: root, kind: 'file', skip: '.git' });
  await addFiles(things, { folder: path.join(gitDir, 'hooks'), kind: 'hook' });
  await addFiles(things, { folder: path.join(gitDir, 'info'), kind: 'info' });
  for (const name of ['HEAD', 'config', 'config.worktree', 'FETCH_HEAD', 'MERGE_HEAD', 'ORIG_HEAD']) {
    const text = await readFile(path.join(gitDir, name), 'utf8').catch(() => undefined);
    if (text !== undefined) things[name] = text;
  }
  for (const line of lines(await runGit(root, ['ls-files', '--stage']))) {
    const entry = /^(\d{6} [0-9a-f]+ \d)\t(.*)$/.exec(line);
    if (entry) things[`index ${entry[2]}`] = `${entry[1]}`;
  }
  for (const line of lines(
    await runGit(root, ['for-each-ref', '--format=%(refname) %(objectname) %(symref)']),
  )) {
    const [ref, ...target] = line.split(' ');
    things[`ref ${ref}`] = target.join(' ').trim();
  }
  const worktrees = lines(await runGit(root, ['worktree', 'list', '--porcelain']));
  things['worktrees'] = worktrees.filter((line) => line.startsWith('worktree ')).join('\n');
  things['stash'] = await runGit(root, ['stash', 'list']);
  return things;
}

/** The differences, sorted by name; empty when the repository was left alone. */
export function diffSnapshots(
  before: RepoSnapshot,
  after: RepoSnapshot,
  options: DiffSnapshotsOptions = {},
): SnapshotDifference[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((what) => before[what] !== after[what])
    .filter((what) => !options.except?.some((pattern) => pattern.test(what)))
    .sort()
    .map((what) => ({ what, before: before[what], after: after[what] }));
}

interface FolderToAdd {
  folder: string;
  kind: string;
  skip?: string;
}

async function addFiles(things: Record<string, string>, { folder, kind, skip }: FolderToAdd): Promise<void> {
  const add = async (inside: Buffer): Promise<void> => {
    const options = { withFileTypes: true, encoding: 'buffer' } as const;
    const entries = await readdir(Buffer.concat([Buffer.from(`${folder}/`), inside]), options).catch(
      () => [],
    );
    for (const entry of entries) {
      const name = inside.length === 0 ? entry.name : Buffer.concat([inside, Buffer.from('/'), entry.name]);
      if (textOf(name) === skip) continue;
      things[`${kind} ${textOf(name)}`] = await describe(Buffer.concat([Buffer.from(`${folder}/`), name]));
      if (entry.isDirectory()) await add(name);
    }
  };
  await add(Buffer.alloc(0));
}

/** A name that is no UTF-8 has a character for each of its bytes. */
function textOf(name: Buffer): string {
  const text = name.toString('utf8');
  return Buffer.from(text, 'utf8').equals(name) ? text : name.toString('latin1');
}

async function describe(file: Buffer): Promise<string> {
  const stat = await lstat(file);
  if (stat.isSymbolicLink()) return `link to ${await readlink(file)}`;
  const mode = (stat.mode & 0o7777).toString(8);
  if (!stat.isFile()) return `folder ${mode}`;
  return `${mode} ${createHash('sha256')
    .update(await readFile(file))
    .digest('hex')}`;
}

function lines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
