import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gitLine, gitText } from '../run-git.ts';
import { listChangedPaths, type ChangedPath } from '../tamper/read-change.ts';
import type { CheckContext, Finding } from './check-context.ts';

const shown = 5;
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

/**
 * No file that git reads itself is one that `git fsck` refuses: a repository with `transfer.fsckObjects`, and hosts, take no commit with it.
 * One that is so on the target already is not the change's fault.
 */
export async function noUnsoundFiles(context: CheckContext): Promise<Finding> {
  const { git, repo, baseCommit: from, candidateCommit: to } = context;
  const changes = context.changes ?? (await listChangedPaths({ git, clone: repo, from, to }));
  const files = changes.filter(
    ({ status, path: file }) => status !== 'deleted' && checkedName(file) !== null,
  );
  const reasons: string[] = [];
  for (const file of files) {
    const said = await fsck(context, file);
    if (said !== null && !(await isSaidOfBase(context, { file, said })))
      reasons.push(`${file.path}: ${said}`);
  }
  if (reasons.length === 0) return { passed: true, reason: 'git fsck takes the settings of git' };
  return { passed: false, reason: `git fsck refuses ${reasons.slice(0, shown).join('; ')}` };
}

/** What `git fsck` says of one file, without its id; null: nothing. Only that file and a tree around it are looked at. */
async function fsck(
  { git, repo: cwd }: CheckContext,
  { path: file, mode, id }: Pick<ChangedPath, 'path' | 'mode' | 'id'>,
): Promise<string | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'baton-fsck-'));
  try {
    const pack = path.join(folder, 'pack');
    await mkdir(pack);
    const asked = ['rev-parse', '--path-format=absolute', '--git-path', 'objects'];
    const objects = (await gitLine(git, asked, { cwd })).replaceAll(/["\\]/g, '\\$&');
    // Quoted: a colon would separate two folders.
    const env = { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objects}"` };
    const stdin = `${mode} ${mode === '160000' ? 'commit' : 'blob'} ${id}\t${checkedName(file) ?? ''}\n`;
    const tree = (await gitText(git, ['mktree', '--missing'], { cwd, env, stdin })).trim();
    const args = ['fsck', '--no-full', '--no-reflogs', '--no-dangling', '--no-progress', tree];
    const { stdout, stderr } = await git(args, { cwd, env });
    return /^error in (?:blob|tree) [0-9a-f]+: (.*)$/m.exec(`${stdout}\n${stderr}`)?.[1] ?? null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isSaidOfBase(
  context: CheckContext,
  { file, said }: { file: ChangedPath; said: string },
): Promise<boolean> {
  const { git, repo: cwd, baseCommit } = context;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${baseCommit}:${file.path}`];
  const before = await git(args, { cwd });
  const id = before.stdout.trim();
  return before.exitCode === 0 && (await fsck(context, { ...file, mode: '100644', id })) === said;
}
