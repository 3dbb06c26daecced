import { printedName } from './printed-name.ts';

/** Lines of one file in a change, without their signs. */
export interface FileLines {
  path: string;
  added: string[];
  removed: string[];
}

/**
 * Reads the output of `git diff` with `--no-prefix -U0` into added and removed lines by file. Paths come from the `+++` line, and from
 * `---` for a deleted file.
 */
export function parseDiff(diff: string): FileLines[] {
  const files: FileLines[] = [];
  let current: FileLines | undefined;
  let inHunk = false;
  let before = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) inHunk = false;
    else if (!inHunk && line.startsWith('--- ')) before = line.slice(4);
    else if (!inHunk && line.startsWith('+++ ')) {
      const after = line.slice(4);
      current = { path: plainPath(after === '/dev/null' ? before : after), added: [], removed: [] };
      files.push(current);
    } else if (line.startsWith('@@ ')) inHunk = true;
    else if (inHunk && line.startsWith('+')) current?.added.push(line.slice(1));
    else if (inHunk && line.startsWith('-')) current?.removed.push(line.slice(1));
  }
  return files;
}

/** Git ends a path with a tab when it holds a space, and quotes it when it holds control characters. */
export function plainPath(path: string): string {
  return printedName(path.replace(/\t$/, ''));
}
