/** Statements by text: which of their parameters (from 0) are JSON. */
const jsonParameters = new Map<string, ReadonlySet<number>>();

/**
 * Values that Postgres takes whatever agents, gates and git printed: in text and JSON alike NUL and halves of surrogate pairs, which neither
 * can hold, become U+FFFD. Every value of every statement of the store goes through here; JSON parameters are those that the statement casts
 * (`$1::jsonb`).
 *
 * @param text The statement.
 */
export function bindable(text: string, values: readonly unknown[]): unknown[] {
  const json = jsonParametersOf(text);
  return values.map((value, index) => (json.has(index) ? cleanJson(value) : cleanText(value)));
}

/** The text without what Postgres refuses. */
export function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The JSON text without escapes of what Postgres refuses. */
export function wellFormedJson(json: string): string {
  if (!json.includes('\\u')) return json;
  // JSON.stringify writes both only as escapes; matching every escape keeps `\\u0000`, which is plain text, whole.
  return json.replace(/\\(?:u[0-9a-fA-F]{4}|.)/g, (escape, at: number) =>
    isRefused(json, { escape, at }) ? '\uFFFD' : escape,
  );
}

/** A half beside its other half is none: other writers than JSON.stringify escape whole pairs too. */
function isRefused(json: string, { escape, at }: { escape: string; at: number }): boolean {
  if (/^\\u0000/.test(escape)) return true;
  if (/^\\ud[89ab]/i.test(escape)) return !/^\\ud[c-f][0-9a-f]{2}/i.test(json.slice(at + 6, at + 12));
  if (/^\\ud[c-f]/i.test(escape)) return !/\\ud[89ab][0-9a-f]{2}$/i.test(json.slice(0, at).slice(-6));
  return false;
}

function cleanText(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  return Array.isArray(value) ? value.map(cleanText) : value;
}

function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return wellFormedJson(wellFormed(value));
  return Array.isArray(value) ? value.map(cleanJson) : value;
}

function jsonParametersOf(text: string): ReadonlySet<number> {
  const known = jsonParameters.get(text);
  if (known !== undefined) return known;
  const found = new Set([...text.matchAll(/\$(\d+)::jsonb?\b/g)].map(([, number]) => Number(number) - 1));
  jsonParameters.set(text, found);
  return found;
}
