import { BatonError } from '@baton/contracts';

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

/**
 * A value from an event as text: text as it is, the rest as JSON, nothing as nothing.
 * @throws INVALID_INPUT for what JSON cannot hold: a circle, a BigInt, more depth than a call can take
 */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch (cause) {
    throw new BatonError('INVALID_INPUT', 'The data of the event cannot be written as JSON.', {
      at: 'data',
      fix: 'Give data as JSON.parse gives it.',
      cause,
    });
  }
}
