/**
 * The first cycle in what waits for what, beginning and ending with the same name; null when there is none. Takes time in
 * proportion to names and edges, however long a chain is.
 * @param waitsFor names that each name waits for; names that are no key wait for nothing
 */
export function findCycle(waitsFor: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  for (const start of waitsFor.keys()) {
    const way: { name: string; next: number }[] = [];
    const onWay = new Set<string>();
    const enter = (name: string) => {
      way.push({ name, next: 0 });
      onWay.add(name);
    };
    if (!done.has(start)) enter(start);
    for (let place = way.at(-1); place !== undefined; place = way.at(-1)) {
      const next = waitsFor.get(place.name)?.[place.next];
      place.next += 1;
      if (next === undefined) {
        done.add(place.name);
        onWay.delete(place.name);
        way.pop();
      } else if (onWay.has(next)) {
        const names = way.map(({ name }) => name);
        return [...names.slice(names.indexOf(next)), next];
      } else if (!done.has(next)) enter(next);
    }
  }
  return null;
}
