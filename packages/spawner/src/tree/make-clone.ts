import { existsSync, rmSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BatonError, shellWord, type Git } from '@baton/contracts';
import { gitFailure, gitText } from '../git/git.ts';
import { senderArgs } from './sender.ts';

/** Which repository is cloned to where. */
export interface MakeCloneOptions {
  /** Absolute path of the bare repository that is made. */
  bare: string;
  /** Absolute path, or URL, of the user's repository. */
  location: string;
}

/**
 * Makes Baton's bare clone of a repository; the caller holds its lock. It appears whole or not at all.
 *
 * @throws REPO_NOT_FOUND, REPO_INCOMPLETE, GIT_FAILED
 */
export async function makeClone(git: Git, { bare, location }: MakeCloneOptions): Promise<void> {
  const draft = `${bare}.new`;
  const isLocal = path.isAbsolute(location);
  requireLocation(location);
  // Git links objects where the file systems and their rights allow it, and copies them elsewhere: `--local` would insist on links.
  // Borrowed objects would vanish with the repository they are borrowed from.
  const args = ['clone', '--bare', '--quiet', '--no-tags', '--dissociate', ...senderArgs(location)];
  const clone = (...how: string[]) => {
    rmSync(draft, { recursive: true, force: true });
    const all = [...args, ...how, '--', location, draft];
    return git(all, { cwd: path.dirname(bare), timeoutMs: 30 * 60_000 });
  };
  let made = await clone();
  // Files that cannot be taken as they are (a linked objects folder, rights, a concurrent gc): git can still send what they hold.
  if (made.exitCode !== 0 && isLocal && !made.timedOut) made = await clone('--no-local');
  if (made.exitCode !== 0) {
    if (isLocal) await refuseBrokenRefs(git, location);
    throw gitFailure(args, made);
  }
  writeFileSync(path.join(draft, 'info', 'exclude'), '');
  rmSync(path.join(draft, 'hooks'), { recursive: true, force: true });
  await gitText(git, ['config', 'gc.auto', '0'], { cwd: draft });
  await gitText(git, ['config', 'core.logAllRefUpdates', 'false'], { cwd: draft });
  await hideBranches(git, draft);
  renameSync(draft, bare);
}

/** Names the refs that git cannot read, which end every clone with words about other things. @throws REPO_INCOMPLETE */
async function refuseBrokenRefs(git: Git, location: string): Promise<void> {
  const { stderr } = await git(['for-each-ref', '--count=1'], { cwd: location });
  const broken = [...stderr.matchAll(/ignoring (?:broken ref|ref with broken name) (.+)$/gm)].map(
    ([, ref = '']) => ref,
  );
  const [first] = broken;
  if (first === undefined) return;
  const args = ['rev-parse', '--path-format=absolute', '--git-path', first];
  const file = (await gitText(git, args, { cwd: location })).trimEnd();
  throw new BatonError(
    'REPO_INCOMPLETE',
    `${location} has refs that git cannot read, so that nothing can be cloned from it: ${broken.slice(0, 5).join(', ')}.`,
    {
      fix: `Remove each that is not needed: \`rm ${shellWord(file)}\`. For a branch whose last commit you know, \`git branch --force\` restores it.`,
      at: location,
    },
  );
}

/** Refuses a local repository that is not there. @throws REPO_NOT_FOUND */
export function requireLocation(location: string): void {
  if (!path.isAbsolute(location) || existsSync(location)) return;
  throw new BatonError('REPO_NOT_FOUND', `${location} does not exist.`, {
    fix: 'Put the repository back where it was, or name the folder of a git repository.',
    at: location,
  });
}

/** The user's branches of today only tell `fetch` what we have; under their own names they would soon be stale. */
async function hideBranches(git: Git, draft: string): Promise<void> {
  const printed = await gitText(git, ['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: draft });
  const moves = printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', commit = ''] = line.split(' ');
      return `create refs/baton/origin/${ref.slice('refs/'.length)} ${commit}\ndelete ${ref}\n`;
    });
  await gitText(git, ['update-ref', '--stdin'], { cwd: draft, stdin: moves.join('') });
}
