import picomatch from 'picomatch';
import { isSource } from './languages/all.ts';
import type { ChangedFile } from './changed-file.ts';

/** Files by which a repository hides others from its tools. */
export function hidesPaths(path: string): boolean {
  return /(^|\/)\.((git|docker|eslint|prettier|stylelint|shellcheck|semgrep|test)?ignore|gitattributes)$/.test(
    path,
  );
}

/** New patterns of such a file that hide what is in the repository: tools that heed it see no more of that. Pure. */
export function newlyHidden(
  file: ChangedFile,
  tracked: readonly string[],
): { at: number; pattern: string; path: string }[] {
  const old = new Set(file.before.map(({ text }) => text.trim()));
  const folder = file.path
    .split('/')
    .slice(0, -1)
    .map((part) => `${part}/`)
    .join('');
  const isOfGit = file.path.endsWith('.gitattributes');
  const inside = tracked.filter((path) => path.startsWith(folder) && path !== file.path);
  return file.added.flatMap(({ at, text }) => {
    if (text.trim() === '' || /^[#!]/.test(text.trim()) || old.has(text.trim())) return [];
    const pattern = isOfGit ? attributed(text.trim()) : text.trim();
    if (pattern === null) return [];
    const hides = matcher(pattern);
    const path = inside.find((each) => hides(each.slice(folder.length)) && (!isOfGit || isSource(each)));
    return path === undefined ? [] : [{ at, pattern, path }];
  });
}

/** The pattern of a line of attributes by which git or its viewers show, merge or read files otherwise than they are. */
function attributed(line: string): string | null {
  const [pattern = '', ...attributes] = line.split(/\s+/);
  if (pattern.startsWith('[attr]')) return '*';
  const isHiding = attributes.some((one) =>
    /^(?:-diff|binary|-text|export-ignore|export-subst|filter=|merge=|-merge|ident|linguist-generated|working-tree-encoding)/.test(
      one,
    ),
  );
  return isHiding ? pattern : null;
}

/** As git reads such a pattern: with a slash inside from the file's own folder, otherwise at any depth; a folder with all below it. */
function matcher(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^\//, '').replace(/\/+$/, '');
  if (plain === '') return () => false;
  const isPlaced = pattern.replace(/\/+$/, '').includes('/');
  const glob = isPlaced ? plain : `**/${plain}`;
  return picomatch([glob, `${glob}/**`], { dot: true });
}
