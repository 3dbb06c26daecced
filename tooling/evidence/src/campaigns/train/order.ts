/** What a task of the campaign does to the tree. */
export interface Work {
  key: string;
  /** `bad`: the gate is red with it. `pair`: it is red with both of a pair, and green with one. */
  kind: 'good' | 'bad' | 'pair';
}

/** Tasks by chance: so many of them cannot land, one of these since it is red with another, and each of the two is fine alone. */
export function worksOf({
  count,
  wrong,
  random,
}: {
  count: number;
  wrong: number;
  random: () => number;
}): Work[] {
  const kinds: Work['kind'][] = Array.from({ length: count }, () => 'good');
  const free = kinds.map((_, at) => at);
  const take = (kind: Work['kind']): void => {
    const [at = 0] = free.splice(Math.floor(random() * free.length), 1);
    kinds[at] = kind;
  };
  for (let bad = 1; bad < wrong; bad += 1) take('bad');
  for (let pair = 0; pair < 2; pair += 1) take('pair');
  return kinds.map((kind, at) => ({ key: `${kind}-${String(at).padStart(2, '0')}`, kind }));
}

/**
 * Gate runs of a queue that takes a fixed number at a time, in this order, and halves what is red: what others do. The head that a
 * single red is asked about counts, as it does for Baton.
 */
export function runsOfFixed(works: readonly Work[], size: number): number {
  const landed: Work[] = [];
  const isRed = (batch: readonly Work[]): boolean => {
    const all = [...landed, ...batch];
    return all.some(({ kind }) => kind === 'bad') || all.filter(({ kind }) => kind === 'pair').length > 1;
  };
  const run = (batch: readonly Work[]): number => {
    if (batch.length === 0) return 0;
    if (!isRed(batch)) {
      landed.push(...batch);
      return 1;
    }
    if (batch.length === 1) return 2;
    const middle = Math.ceil(batch.length / 2);
    const first = 1 + run(batch.slice(0, middle));
    return first + run(batch.slice(middle));
  };
  let runs = 0;
  for (let at = 0; at < works.length; at += size) runs += run(works.slice(at, at + size));
  return runs;
}
