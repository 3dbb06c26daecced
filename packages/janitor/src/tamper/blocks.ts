import { indentOf } from './languages/body.ts';
import { indexOfLine, type CodeLine } from './live-code.ts';

/** Further lines are in no block that a person can read. */
const furthest = 400;

/** The lines whose blocks a line is in, the nearest first; those above the line `from` are left out. Pure. */
export function blocksAround(
  code: readonly CodeLine[],
  { at, from }: { at: number; from: number },
): CodeLine[] {
  const index = indexOfLine(code, at);
  const found: CodeLine[] = [];
  let limit = indentOf(code[index]?.text ?? '');
  let isCut = false;
  for (let above = index - 1; above >= Math.max(0, index - furthest); above--) {
    const line = code[above];
    if (line === undefined || line.at < from) break;
    const indent = indentOf(line.text);
    if (indent > limit || (indent === limit && !isCut)) continue;
    // A condition over several lines ends with a bracket of its own.
    isCut = /^\s*\)\s*(?:\{|:|then)?\s*$/.test(line.text);
    limit = indent;
    if (!isCut) found.push(line);
  }
  return found;
}
