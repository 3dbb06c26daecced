/**
 * JSON text that a `jsonb` column takes. Agents and gates print what they like; Postgres refuses NUL and halves of
 * surrogate pairs, so each becomes U+FFFD, in keys as well as in values.
 */
export function jsonText(value: unknown): string {
  // JSON.stringify writes both only as escapes; matching every escape keeps `\\u0000`, which is plain text, whole.
  return JSON.stringify(value).replace(/\\(?:u[0-9a-f]{4}|.)/g, (escape) =>
    /^\\u(?:0000|d[89a-f])/.test(escape) ? '\uFFFD' : escape,
  );
}
