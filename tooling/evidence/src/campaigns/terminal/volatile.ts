/** What differs between two recordings of the same hour. */
export interface Volatile {
  /** Folders, and how they are called in the recording. */
  places: readonly (readonly [found: string, shown: string])[];
  /** Beginnings of the names of runs. */
  runNames: readonly string[];
}

/** Makes two recordings of the same hour equal: ids, times, places and what a loaded machine changes. */
export function steady({ places, runNames }: Volatile): (line: string) => string {
  const runs = new RegExp(`\\b(${runNames.join('|')})-([0-9a-z]{4})\\b`, 'g');
  const named = new Map<string, string>();
  const alike = (kind: string, found: string, make: (number: number) => string): string => {
    const key = `${kind} ${found}`;
    const known = named.get(key);
    if (known !== undefined) return known;
    const number = [...named.keys()].filter((other) => other.startsWith(`${kind} `)).length + 1;
    const shown = make(number);
    named.set(key, shown);
    return shown;
  };
  return (line: string): string =>
    places
      .reduce((text, [found, shown]) => text.replaceAll(found, shown), line)
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) =>
        alike('id', id, (number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`),
      )
      .replaceAll(
        runs,
        (_, name: string, end: string) => `${name}-${alike('run', end, (number) => `run${number}`)}`,
      )
      .replaceAll(/\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}\b|(?<=(base|at|on|of) )\d{9}\b/g, (id) =>
        alike('commit', id, (number) => `${'c0ffee'}${String(number).padStart(id.length - 6, '0')}`),
      )
      .replaceAll(/\b\d+(\.\d+)?(?= ?(ms|s|m|h|MB|GB|KB|B)\b)/g, (number) => number.replaceAll(/\d/g, '0'))
      .replaceAll(/\b\d\d:\d\d(:\d\d)?\b/g, '00:00:00')
      .replaceAll(/(?<=\b(process|pid|port) )\d+/g, '0')
      .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '⠋')
      .trimEnd();
}
