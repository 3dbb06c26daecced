/** Something at a line, and whether git finds that line on its side only. */
interface Placed {
  at: number;
}

/** The items of one version. */
export interface Side<T> {
  items: readonly T[];
  isChanged: (item: T) => boolean;
}

/**
 * What is only before and what is only after, over all files together: what moves from place to place or from file to file is in neither.
 * Of several that are equal, those count as new or gone that git finds so. Pure.
 */
export function onlyOnce<T extends Placed>(
  sides: { before: Side<T>; after: Side<T> },
  keyOf: (item: T) => string,
): { removed: T[]; added: T[] } {
  const count = new Map<string, number>();
  for (const item of sides.after.items) count.set(keyOf(item), (count.get(keyOf(item)) ?? 0) + 1);
  const take = (item: T): boolean => {
    const left = count.get(keyOf(item)) ?? 0;
    if (left > 0) count.set(keyOf(item), left - 1);
    return left > 0;
  };
  const gone = new Set(changedLast(sides.before).filter((item) => !take(item)));
  const fresh = new Set(changedLast(sides.after).reverse().filter(take));
  return {
    removed: sides.before.items.filter((item) => gone.has(item)),
    added: sides.after.items.filter((item) => fresh.has(item)),
  };
}

function changedLast<T>({ items, isChanged }: Side<T>): T[] {
  return [...items.filter((item) => !isChanged(item)), ...items.filter(isChanged)];
}
