import { access, lstat, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { namesSource } from './python-source.ts';
import { namesIn } from './read-start.ts';

/** The programs of packages, and folders of several packages. */
const foldersOfPackages = /^(@.*|\.bin)$/;
const mostSteps = 40;

/** What a folder of installed packages is; a virtual environment is known by its mark, other folders of that name are none. */
export async function lookAtInstalled(
  root: string,
  folder: string,
): Promise<{ kind: 'folder' | 'other'; why: string | null }> {
  const place = path.join(root, folder);
  const stat = await lstat(place).catch(() => null);
  if (stat === null) return { kind: 'other', why: null };
  const isEnvironment = /(^|\/)\.?v?env$/.test(folder);
  if (isEnvironment && !(await isThere(path.join(place, 'pyvenv.cfg')))) return { kind: 'other', why: null };
  if (stat.isSymbolicLink()) return { kind: 'folder', why: 'is a symbolic link' };
  if (!stat.isDirectory()) return { kind: 'other', why: null };
  if (isEnvironment && (await isEditable(place, root)))
    return { kind: 'folder', why: 'imports the source of this checkout (an editable installation)' };
  return { kind: 'folder', why: isEnvironment ? null : await linkAway(place, root) };
}

/** An environment that imports the checkout's source would let every worktree be judged by that source. */
async function isEditable(venv: string, root: string): Promise<boolean> {
  for (const version of await namesIn(path.join(venv, 'lib'))) {
    const packages = path.join(venv, 'lib', version, 'site-packages');
    const names = await namesIn(packages);
    if (names.some((name) => /^__editable__|\.egg-link$/.test(name))) return true;
    for (const name of names) if (await namesSource(path.join(packages, name), root)) return true;
  }
  return false;
}

/**
 * Why packages cannot be taken over because of a link: a relative one that leads out of the repository leads elsewhere from a
 * worktree, and one that leads back into the checkout by an absolute path has worktrees judged by the checkout's source.
 */
async function linkAway(folder: string, root: string): Promise<string | null> {
  const isVendor = path.basename(folder) === 'vendor';
  const place = await realpath(root).catch(() => root);
  for (const name of await namesIn(folder)) {
    const isOfSeveral = isVendor || foldersOfPackages.test(name);
    const inner = isOfSeveral
      ? (await namesIn(path.join(folder, name))).map((each) => `${name}/${each}`)
      : [];
    for (const each of [name, ...inner]) {
      const why = await whereTo(path.join(folder, each), { root, place });
      if (why !== null) return `has the link ${each}, which leads ${why}`;
    }
  }
  return null;
}

/** Follows a link step by step; null: a worktree can have it as it is. */
async function whereTo(
  link: string,
  { root, place }: { root: string; place: string },
): Promise<string | null> {
  const isInside = (file: string): boolean =>
    [root, place].some((top) => file === top || file.startsWith(`${top}${path.sep}`));
  let isAbsolute = false;
  let at = link;
  for (let step = 0; step < mostSteps; step += 1) {
    const target = await readlink(at).catch(() => null);
    if (target === null) break;
    const next = path.resolve(path.dirname(at), target);
    if (!path.isAbsolute(target) && isInside(at) && !isInside(next)) return 'out of the repository';
    isAbsolute ||= path.isAbsolute(target);
    at = next;
  }
  const end = isAbsolute ? await realpath(at).catch(() => at) : null;
  return end !== null && isInside(end) ? 'into this checkout by an absolute path' : null;
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
