/** Lines that a fault replaces in one place of a file, with those around them when it was written. */
interface Place {
  before: readonly string[];
  removed: readonly string[];
  added: readonly string[];
  after: readonly string[];
}

/** What a unified diff changes in one file, by its path from the root. */
export interface FileFault {
  path: string;
  places: readonly Place[];
}

/** Reads a unified diff of existing files. @throws Error for one that makes, removes or renames a file */
export function readDiff(patch: string): FileFault[] {
  return patch
    .split(/^(?=--- )/m)
    .filter((part) => part.startsWith('--- '))
    .map((part) => {
      const path = /^--- a\/(.+)\n\+\+\+ b\/\1$/m.exec(part)?.[1];
      if (path === undefined) throw new Error(`no change of one existing file: ${part.split('\n', 1)[0]}`);
      const [, ...hunks] = part.split(/^@@.*\n/m);
      return { path, places: hunks.map(placeOf) };
    });
}

function placeOf(hunk: string): Place {
  const lines = hunk.replace(/\n$/, '').split('\n');
  const isChange = (line: string) => /^[-+]/.test(line);
  const first = lines.findIndex(isChange);
  const last = lines.findLastIndex(isChange);
  const textOf = (some: readonly string[], mark: string) =>
    some.filter((line) => !line.startsWith(mark) && !line.startsWith('\\')).map((line) => line.slice(1));
  return {
    before: textOf(lines.slice(0, first), '+'),
    removed: textOf(lines.slice(first, last + 1), '+'),
    added: textOf(lines.slice(first, last + 1), '-'),
    after: textOf(lines.slice(last + 1), '+'),
  };
}

/**
 * The file with the fault in it, or why it does not fit. A place is found by the lines that are replaced, wherever they stand by now; the
 * lines around them count only as far as those alone are found more than once, or where nothing is replaced. Pure.
 */
export function placeFault(text: string, places: readonly Place[]): { text: string } | { misfit: string } {
  let lines = text.split('\n');
  for (const place of places) {
    const found = findPlace(lines, place);
    if (typeof found === 'string') return { misfit: found };
    lines = lines.toSpliced(found, place.removed.length, ...place.added);
  }
  return { text: lines.join('\n') };
}

function findPlace(lines: readonly string[], { before, removed, after }: Place): number | string {
  let matches = [...lines.keys()].filter((at) => isAt(lines, at, removed));
  const most = Math.max(before.length, after.length);
  for (let around = 1; matches.length > 1 && around <= most; around++) {
    const [head, tail] = [before.slice(-around), after.slice(0, around)];
    const isHere = (at: number) =>
      isAt(lines, at - head.length, head) && isAt(lines, at + removed.length, tail);
    matches = matches.filter(isHere);
  }
  const [only, ...others] = matches;
  const what = removed.find((line) => line.trim() !== '') ?? before.at(-1) ?? '';
  if (only === undefined) return `its lines are nowhere: ${what.trim()}`;
  return others.length === 0 ? only : `its lines are in ${matches.length} places: ${what.trim()}`;
}

function isAt(lines: readonly string[], at: number, wanted: readonly string[]): boolean {
  return at >= 0 && wanted.every((line, n) => lines[at + n] === line);
}
