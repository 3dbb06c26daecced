/**
 * The value at a dotted path, e.g. `data.commits.0.id`; `undefined` when there is none. Only own properties count, so that
 * a path never reaches what every object inherits.
 */
export function lookup(value: unknown, path: string): unknown {
  let current = value;
  for (const part of path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string, unknown>)[part];
  }
  return current;
}

/** A value from an event as text: text as it is, the rest as JSON, nothing as nothing. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : (JSON.stringify(value, null, 2) ?? '');
}
