import { wellFormedJson } from './bindable.ts';

/**
 * JSON text that a `jsonb` column takes. Agents and gates print what they like; Postgres refuses NUL and halves of
 * surrogate pairs, so each becomes U+FFFD, in keys as well as in values.
 */
export function jsonText(value: unknown): string {
  return wellFormedJson(JSON.stringify(value));
}
