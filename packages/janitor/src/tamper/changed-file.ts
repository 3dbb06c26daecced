import { plainPath } from '../added-lines.ts';

/** A line of a file; the first is 1. */
export interface Line {
  at: number;
  text: string;
}

/** A changed file in full: all lines before and after, and those that differ. */
export interface ChangedFile {
  path: string;
  before: Line[];
  after: Line[];
  removed: Line[];
  added: Line[];
}

/** Reads the output of `git diff` with `--no-prefix` and more context than any file has lines. Pure. */
export function parseFiles(diff: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  let current: ChangedFile | undefined;
  let inHunk = false;
  let old = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) inHunk = false;
    else if (!inHunk && line.startsWith('--- ')) old = line.slice(4);
    else if (!inHunk && line.startsWith('+++ ')) {
      const now = line.slice(4);
      const path = plainPath(now === '/dev/null' ? old : now);
      current = { path, before: [], after: [], removed: [], added: [] };
      files.push(current);
    } else if (line.startsWith('@@ ')) inHunk = true;
    else if (inHunk && current !== undefined) takeLine(current, line);
  }
  return files;
}

function takeLine(file: ChangedFile, line: string): void {
  const text = line.slice(1).replace(/\r$/, '');
  const sign = line[0];
  if (sign !== ' ' && sign !== '-' && sign !== '+') return;
  if (sign !== '+') file.before.push({ at: file.before.length + 1, text });
  if (sign !== '-') file.after.push({ at: file.after.length + 1, text });
  const before = file.before.at(-1);
  const after = file.after.at(-1);
  if (sign === '-' && before !== undefined) file.removed.push(before);
  if (sign === '+' && after !== undefined) file.added.push(after);
}

/** Where a change to a file begins: its first line that is new, or else the first that is gone. Pure. */
export function changeBegins({ added, removed }: Pick<ChangedFile, 'added' | 'removed'>): number {
  return added[0]?.at ?? removed[0]?.at ?? 1;
}
