import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { BatonError, type Exec, type WorkspaceSetup } from '@baton/contracts';
import { treeState } from '../tree/tree-state.ts';

/** Between which two folders is copied, and by whom. */
export interface CopyOptions {
  /** The user's checkout. */
  sourceRoot: string;
  exec: Exec;
  env: Readonly<Record<string, string>>;
}

/**
 * Copies a file or folder of the user's checkout to the same path below another folder, in place of what is there.
 * Answers false when the checkout has none.
 *
 * @throws PATH_OUTSIDE, WORKSPACE_FAILED
 */
export async function copySource(target: string, file: string, options: CopyOptions): Promise<boolean> {
  const from = sourceOf(options.sourceRoot, file);
  const to = contained(target, file);
  if (to === null) throw outside(file);
  if (from === null) return false;
  await rm(to, { recursive: true, force: true });
  mkdirSync(path.dirname(to), { recursive: true });
  await copyWhole(from, to, options);
  return true;
}

/** Copies a file or folder with its modes, times and links, sharing blocks where the file system can. @throws WORKSPACE_FAILED */
export async function copyWhole(
  from: string,
  to: string,
  { exec, env }: Pick<CopyOptions, 'exec' | 'env'>,
): Promise<void> {
  const flags = process.platform === 'linux' ? ['-a', '--reflink=auto'] : ['-a'];
  const result = await exec(['cp', ...flags, '--', from, to], {
    cwd: '/',
    env: { ...env, LC_ALL: 'C' },
    timeoutMs: 10 * 60_000,
  });
  if (result.exitCode === 0 || (result.exitCode === 1 && onlyVanished(result.stderr))) return;
  throw new BatonError(
    'WORKSPACE_FAILED',
    `${from} cannot be copied into a worktree: ${result.stderr.trim() || result.spawnError}`,
    { fix: 'See that it can be read and that the disk has room.' },
  );
}

/** What went away while it was copied is not there to be copied: all else is. */
function onlyVanished(stderr: string): boolean {
  const vanished = /^cp: cannot (stat|open|access|read symbolic link) .*: No such file or directory$/;
  return stderr
    .trim()
    .split('\n')
    .every((line) => vanished.test(line));
}

/**
 * Names the state of all that a set-up copies from the user's checkout; null: there is too much of it to be looked at each time.
 *
 * @throws PATH_OUTSIDE
 */
export async function sourcesState(setup: WorkspaceSetup, sourceRoot: string | null): Promise<string | null> {
  if (sourceRoot === null) return '';
  const hash = createHash('sha256');
  for (const file of [...setup.symlink, ...setup.copy]) {
    const state = await sourceState(sourceRoot, file);
    if (state === null) return null;
    hash.update(`${file}\0${state}\0`);
  }
  return hash.digest('hex');
}

/** Names the state of one file or folder of the checkout; null: it has too many entries. @throws PATH_OUTSIDE */
export async function sourceState(sourceRoot: string, file: string): Promise<string | null> {
  const source = sourceOf(sourceRoot, file);
  return source === null ? 'missing' : treeState(source);
}

/**
 * What is copied for a path of the checkout: where it is a link, what the link leads to, for the link itself would lead nowhere from
 * a worktree, or let an agent write into the user's files. Null: there is nothing.
 *
 * @throws PATH_OUTSIDE
 */
function sourceOf(sourceRoot: string, file: string): string | null {
  const from = contained(sourceRoot, file);
  if (from === null) throw outside(file);
  if (!existsSync(from)) return null;
  const real = realpathSync(from);
  if (real.startsWith(`${realpathSync(sourceRoot)}${path.sep}`)) return real;
  throw outside(file);
}

/** The absolute path of something below a root, or null when it (or a link on the way) leads outside. */
export function contained(root: string, relative: string): string | null {
  const top = realpathSync(root);
  const whole = path.resolve(top, relative);
  if (!whole.startsWith(`${top}${path.sep}`)) return null;
  let parent = path.dirname(whole);
  while (!existsSync(parent)) parent = path.dirname(parent);
  const real = realpathSync(parent);
  return real === top || real.startsWith(`${top}${path.sep}`) ? whole : null;
}

function outside(file: string): BatonError {
  return new BatonError('PATH_OUTSIDE', `"${file}" leads outside the repository.`, {
    fix: 'Name a path inside it, without links that lead out; for packages, install them by `workspace.setup`.',
  });
}
