import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { BatonError, workspaceSetup, type Git, type Log, type WorkspaceSetup } from '@baton/contracts';
import ignore from 'ignore';
import { gitText } from '../git/git.ts';
import { nulList } from '../tree/workspace.ts';

/** File at the root of a checkout that names ignored files for worktrees, in the syntax of `.gitignore`. */
export const includeFile = '.worktreeinclude';

const mostPaths = 1_000;

/** Whose checkout it is. */
export interface IncludeOptions {
  git: Git;
  /** The user's checkout; null: there is none on this machine. */
  sourceRoot: string | null;
  log: Log;
}

/**
 * A set-up with the files that `.worktreeinclude` of the checkout names, as files to be copied: only what git ignores there, and
 * nothing that leads out of the checkout.
 *
 * @throws CONFIG_INVALID when it names more than 1000 paths, GIT_FAILED
 */
export async function withIncluded(
  setup: WorkspaceSetup | null,
  options: IncludeOptions,
): Promise<WorkspaceSetup | null> {
  const { sourceRoot } = options;
  const patterns = sourceRoot === null ? null : readPatterns(sourceRoot);
  if (sourceRoot === null || patterns === null) return setup;
  const named = await includedPaths(patterns, { ...options, sourceRoot });
  const base = setup ?? workspaceSetup.parse({});
  const known = [...base.symlink, ...base.copy];
  const added = named.filter((file) => !known.some((each) => file === each || file.startsWith(`${each}/`)));
  return added.length === 0 ? setup : { ...base, copy: [...base.copy, ...added] };
}

function readPatterns(root: string): string | null {
  const file = path.join(root, includeFile);
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(file, 'utf8') : null;
}

async function includedPaths(
  patterns: string,
  { git, sourceRoot, log }: IncludeOptions & { sourceRoot: string },
): Promise<string[]> {
  const matcher = ignore().add(patterns);
  const found: string[] = [];
  for (const entry of await ignoredIn(git, sourceRoot)) {
    if (matcher.ignores(entry)) found.push(entry.replace(/\/$/, ''));
    else if (entry.endsWith('/') && looksInto(entry, patterns))
      found.push(...(await ignoredIn(git, sourceRoot, entry)).filter((file) => matcher.ignores(file)));
  }
  if (found.length > mostPaths) {
    throw new BatonError(
      'CONFIG_INVALID',
      `${includeFile} names ${found.length} paths; at most ${mostPaths} are copied.`,
      {
        at: path.join(sourceRoot, includeFile),
        fix: 'Name whole folders (`secrets/`), or fewer files.',
      },
    );
  }
  return [...new Set(found)].filter((file) => {
    if (isInside(sourceRoot, file)) return true;
    log.warn('a link that leads out of the checkout is not copied into worktrees', { file });
    return false;
  });
}

/** Ignored paths, a folder as one (it ends in a slash); of one ignored folder all its files. */
async function ignoredIn(git: Git, root: string, folder?: string): Promise<string[]> {
  const list = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard'];
  const args = folder === undefined ? [...list, '--directory'] : [...list, '--', `:(literal)${folder}`];
  const paths = nulList(await gitText(git, args, { cwd: root }));
  // A name that is no text cannot be handed on.
  return paths.filter((file) => !file.includes('\uFFFD'));
}

/** Whether a pattern names something below a folder that it does not name itself: only then its files are listed. */
function looksInto(folder: string, patterns: string): boolean {
  return patterns
    .split('\n')
    .map((line) => line.trim().replace(/^!?\//, ''))
    .some((line) => line.length > folder.length && line.startsWith(folder));
}

/** Whether a path, with all links followed, lies in the checkout. A link that leads nowhere does not. */
function isInside(root: string, file: string): boolean {
  try {
    return realpathSync(path.join(root, file)).startsWith(`${realpathSync(root)}${path.sep}`);
  } catch {
    return false;
  }
}
