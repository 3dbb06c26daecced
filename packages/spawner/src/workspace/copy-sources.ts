import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { BatonError, type Exec, type WorkspaceSetup } from '@baton/contracts';

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
  const from = contained(options.sourceRoot, file);
  const to = contained(target, file);
  if (from === null || to === null) throw outside(file);
  if (!existsSync(from)) return false;
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
  const result = await exec(['cp', ...flags, '--', from, to], { cwd: '/', env, timeoutMs: 10 * 60_000 });
  if (result.exitCode === 0) return;
  throw new BatonError(
    'WORKSPACE_FAILED',
    `${from} cannot be copied into a worktree: ${result.stderr.trim() || result.spawnError}`,
    { fix: 'See that it can be read and that the disk has room.' },
  );
}

/** Names the state of a folder's content by the marks that tools rewrite whenever they change what is installed. */
export function signatureOf(folder: string): string {
  const marks = ['.', '.package-lock.json', '.modules.yaml', '.yarn-state.yml', '.yarn-integrity'];
  return marks
    .map((name) => statSync(path.join(folder, name), { throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? '-' : `${stat.ino}:${stat.mtimeMs}:${stat.size}`))
    .join(' ');
}

/** Names the state of all that a set-up copies from the user's checkout: files by their content, folders by {@link signatureOf}. */
export function sourcesState(setup: WorkspaceSetup, sourceRoot: string | null): string {
  if (sourceRoot === null) return '';
  const hash = createHash('sha256');
  for (const file of [...setup.symlink, ...setup.copy]) {
    const source = contained(sourceRoot, file);
    const stat = source === null ? undefined : lstatSync(source, { throwIfNoEntry: false });
    const isSmallFile = stat?.isFile() === true && stat.size < 1024 * 1024;
    hash.update(`${file}\0`);
    if (source !== null && stat !== undefined)
      hash.update(isSmallFile ? readFileSync(source) : signatureOf(source));
    hash.update('\0');
  }
  return hash.digest('hex');
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
    fix: 'Name a path inside it, without links that lead out.',
  });
}
