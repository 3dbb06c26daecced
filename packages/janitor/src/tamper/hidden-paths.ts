import picomatch from 'picomatch';
import type { ChangedFile } from './changed-file.ts';

/** Files by which a repository hides others from its tools. */
export function hidesPaths(path: string): boolean {
  return /(^|\/)\.(git|docker|eslint|prettier|stylelint|shellcheck|semgrep|test)?ignore$/.test(path);
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
  const inside = tracked.filter((path) => path.startsWith(folder) && path !== file.path);
  return file.added.flatMap(({ at, text }) => {
    const pattern = text.trim();
    if (pattern === '' || /^[#!]/.test(pattern) || old.has(pattern)) return [];
    const hides = matcher(pattern);
    const path = inside.find((each) => hides(each.slice(folder.length)));
    return path === undefined ? [] : [{ at, pattern, path }];
  });
}

/** As git reads such a pattern: with a slash inside from the file's own folder, otherwise at any depth; a folder with all below it. */
function matcher(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^\//, '').replace(/\/+$/, '');
  if (plain === '') return () => false;
  const isPlaced = pattern.replace(/\/+$/, '').includes('/');
  const glob = isPlaced ? plain : `**/${plain}`;
  return picomatch([glob, `${glob}/**`], { dot: true });
}
