import type { ChangedFile, Line } from './changed-file.ts';

/** What of neighbouring lines is only before and only after a change. */
export interface ChangedPart {
  at: number;
  /** Both sides, each with the keys that it is below of where it is not a whole entry itself. */
  texts: { was: string; now: string };
}

/** Runs of changed lines, of which only what differs is left: what a line says besides is not changed by it. Pure. */
export function changedParts(file: ChangedFile): ChangedPart[] {
  return hunksOf(file).map(({ removed, added }) => {
    const [was, now] = [removed, added].map((lines) => lines.map(({ text }) => text).join('\n')) as [
      string,
      string,
    ];
    const most = Math.min(was.length, now.length);
    let from = 0;
    while (from < most && was[from] === now[from]) from += 1;
    const isWord = (text: string, at: number) => /[\w"'-]/.test(text[at] ?? '');
    // A word is changed as a whole.
    while (from > 0 && isWord(was, from - 1) && (isWord(was, from) || isWord(now, from))) from -= 1;
    let end = 0;
    while (end < most - from && was.at(-1 - end) === now.at(-1 - end)) end += 1;
    const isSplit = () =>
      isWord(was, was.length - end) &&
      (isWord(was, was.length - end - 1) || isWord(now, now.length - end - 1));
    while (end > 0 && isSplit()) end -= 1;
    const cut = (text: string) => {
      const middle = text.slice(from, text.length - end);
      return isEntry(middle) ? middle : `${keysBefore(text.slice(0, from))} ${middle}`;
    };
    const at = (added[0] ?? removed[0])?.at ?? 1;
    return { at, texts: { was: cut(was), now: cut(now) } };
  });
}

function hunksOf({ before, after, removed, added }: ChangedFile): { removed: Line[]; added: Line[] }[] {
  const [gone, fresh] = [removed, added].map((lines) => new Set(lines.map(({ at }) => at))) as [
    Set<number>,
    Set<number>,
  ];
  const hunks: { removed: Line[]; added: Line[] }[] = [];
  let [one, other] = [0, 0];
  while (one < before.length || other < after.length) {
    const hunk: { removed: Line[]; added: Line[] } = { removed: [], added: [] };
    for (; one < before.length && gone.has(one + 1); one++) hunk.removed.push(before[one] as Line);
    for (; other < after.length && fresh.has(other + 1); other++) hunk.added.push(after[other] as Line);
    if (hunk.removed.length + hunk.added.length > 0) hunks.push(hunk);
    one += 1;
    other += 1;
  }
  return hunks;
}

/** Whether a text is nothing but whole entries, such as `"a": 1, b: 2`. */
function isEntry(text: string): boolean {
  const plain = text.trim().replace(/^,/, '').trim();
  return plain === '' || /^["']?[\w@./-]+["']?\s*(?::|=>|=)(?!=)/.test(plain);
}

/** The keys whose values a text ends in the midst of, the outermost first. */
function keysBefore(text: string): string {
  const keys: string[] = [];
  let depth = 0;
  let most = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const char = text[at] ?? '';
    if (')]}'.includes(char)) depth += 1;
    else if ('([{'.includes(char)) depth -= 1;
    else if (char === ',' && depth <= most) most = depth - 1;
    if (!/[:=]/.test(char) || depth > most) continue;
    const key = /["']?[\w@./-]+["']?\s*[:=]$/.exec(text.slice(0, at + 1))?.[0];
    if (key !== undefined) keys.unshift(key);
    most = depth - 1;
  }
  return keys.join(' ');
}
