/** Names that are likely meant by a mistyped one, nearest first. */
export function closest(typed: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, distance: name.startsWith(typed) ? 0 : editDistance(typed, name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, name.length / 3))
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name);
}

/** Insertions, deletions and replacements that turn one word into the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
