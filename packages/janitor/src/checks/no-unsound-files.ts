import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { gitFailed, gitText } from '../run-git.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { listChangedPaths, type ChangedPath } from '../tamper/read-change.ts';
import type { CheckContext, Finding } from './check-context.ts';

const shown = 5;
const folderMode = '040000';
const submoduleMode = '160000';
/** Characters that some file systems leave out of names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** Files that git reads itself wherever they are in a tree, and their names on HFS+ and NTFS. */
const ofGit = /^(?:\.(gitmodules|gitattributes)|(gitmod|gi7eba)~\d|(gitatt|gi7d29)~\d)[ .]*(?::.*)?$/i;

/** The name under which git checks a file; null: it looks into no such file. Pure. */
export function checkedName(file: string): '.gitmodules' | '.gitattributes' | null {
  const name = file.slice(file.lastIndexOf('/') + 1).replaceAll(ignored, '');
  const [found, named = '', short] = ofGit.exec(name) ?? [];
  if (found === undefined) return null;
  return short !== undefined || named.toLowerCase() === 'gitmodules' ? '.gitmodules' : '.gitattributes';
}

/** The first of a path and the folders above it that git checks, topmost first; null: none. Pure. */
export function checkedPath(file: string): string | null {
  for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) {
    const folder = file.slice(0, end);
    if (checkedName(folder) !== null) return folder;
  }
  return checkedName(file) === null ? null : file;
}

/** What git checks at a path: a file, or a folder, whose content it does not look at. */
type Checked = Pick<ChangedPath, 'path' | 'mode' | 'id'>;

/**
 * No file that git reads itself is one that `git fsck` refuses, and no folder has the name of one: a repository with
 * `transfer.fsckObjects`, and hosts, take no commit with it. One that is so on the target already is not the change's fault.
 */
export async function noUnsoundFiles(context: CheckContext): Promise<Finding> {
  const { git, repo, baseCommit: from, candidateCommit: to } = context;
  const changes = context.changes ?? (await listChangedPaths({ git, clone: repo, from, to }));
  const checked = new Map<string, Checked>();
  for (const { status, path: file, mode, id } of changes) {
    const name = checkedPath(file);
    if (status !== 'deleted' && name !== null)
      checked.set(name, name === file ? { path: name, mode, id } : { path: name, mode: folderMode, id: '' });
  }
  const reasons: string[] = [];
  for (const file of checked.values()) {
    const said = await fsck(context, file);
    if (said !== null && !(await isSaidOfBase(context, { file, said })))
      reasons.push(`${file.path}: ${said}`);
  }
  if (reasons.length === 0) return { passed: true, reason: 'git fsck takes the settings of git' };
  return { passed: false, reason: `git fsck refuses ${reasons.slice(0, shown).join('; ')}` };
}

/**
 * What `git fsck` says of one file or folder, without its id; null: nothing. It is asked in a folder of objects with nothing else in it: it
 * looks at every loose object that it finds, also behind alternates, and those of other work say nothing about this one.
 */
async function fsck(
  { git, repo: cwd }: CheckContext,
  { path: file, mode, id }: Checked,
): Promise<string | null> {
  const folder = await makeTemporaryFolder('baton-fsck-');
  try {
    const pack = path.join(folder, 'pack');
    await mkdir(pack);
    const env = { GIT_OBJECT_DIRECTORY: folder };
    const makeTree = async (stdin: string) =>
      (await gitText(git, ['mktree', '--missing'], { cwd, env, stdin })).trim();
    const isBlob = mode !== folderMode && mode !== submoduleMode;
    if (isBlob)
      await gitText(git, ['pack-objects', '-q', path.join(pack, 'pack')], { cwd, stdin: `${id}\n` });
    const what = mode === folderMode ? `tree ${await makeTree('')}` : `${isBlob ? 'blob' : 'commit'} ${id}`;
    const tree = await makeTree(`${mode} ${what}\t${checkedName(file) ?? ''}\n`);
    const args = ['fsck', '--full', '--no-reflogs', '--no-dangling', '--no-progress', tree];
    const result = await git(args, { cwd, env });
    // Its errors are numbers below 128: anything else is a check that did not take place.
    if (result.exitCode === null || result.exitCode >= 128 || result.truncated) throw gitFailed(args, result);
    const { stdout, stderr } = result;
    return /^error in (?:blob|tree|commit) [0-9a-f]+: (.*)$/m.exec(`${stdout}\n${stderr}`)?.[1] ?? null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isSaidOfBase(
  context: CheckContext,
  { file, said }: { file: Checked; said: string },
): Promise<boolean> {
  const { git, repo: cwd, baseCommit } = context;
  const args = ['--literal-pathspecs', 'ls-tree', '--full-tree', baseCommit, '--', file.path];
  const [, mode, id] = /^(\d+) \w+ ([0-9a-f]+)\t/.exec((await git(args, { cwd })).stdout) ?? [];
  if (mode === undefined || id === undefined) return false;
  return (await fsck(context, { path: file.path, mode, id })) === said;
}
