import { bytesOf, type BytePath } from '../tree/byte-path.ts';

/** Characters that some file systems leave out of names when they compare them. */
const unseen = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Whether git, or a server that checks what is pushed, refuses a name in a tree: what some file system takes for
 * `.git`, and links that stand for git's own files.
 */
export function isRefusedName(name: BytePath, kind: 'file' | 'link' | 'folder'): boolean {
  return name.split('\\').some((part) => {
    const text = bytesOf(part).toString('utf8').replace(unseen, '').toLowerCase();
    const [base = ''] = text.split(':');
    const bare = base.replace(/[ .]+$/, '');
    if (bare === '.git' || /^git~\d+$/.test(bare)) return true;
    return kind === 'link' && /^(\.git(modules|ignore|attributes)|\.mailmap|gi[a-z0-9]{4,6}~\d+)$/.test(bare);
  });
}

/**
 * The path under which a file can be kept: itself, or with each refused name written as `%` and the hexadecimal code
 * of its first byte, as in `%2egit/config` for `.git/config`.
 *
 * @param isTaken Whether another file has that path.
 */
export function keptPath(
  file: BytePath,
  { kind, isTaken }: { kind: 'file' | 'link'; isTaken: (file: BytePath) => boolean },
): BytePath {
  const names = file.split('/');
  const isRefused = (name: string, at: number) =>
    isRefusedName(name, at === names.length - 1 ? kind : 'folder');
  if (!names.some(isRefused)) return file;
  const aliased = names.map((name, at) =>
    isRefused(name, at)
      ? `%${name.charCodeAt(0).toString(16).padStart(2, '0')}${renamed(name.slice(1))}`
      : name,
  );
  let alias = aliased.join('/');
  while (isTaken(alias)) alias += '%';
  return alias;
}

/** The rest of a refused name, without what could make it refused once more. */
function renamed(rest: string): string {
  return rest.replaceAll('\\', '%5c').replaceAll(':', '%3a');
}
