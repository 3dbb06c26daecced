import { BatonError } from '@baton/contracts';

/** Deeper than anything that a schema of ours describes, and far from what recursion takes. */
export const maxDepth = 64;

/**
 * Refuses what no schema should have to look at: values nested too deeply, and text that Postgres cannot keep (NUL, half
 * characters), in keys as well. Takes the value apart without recursion.
 * @throws INVALID_INPUT with the path of the first place in `at`
 */
export function refuseUnstorable(raw: unknown): void {
  const open: { value: unknown; path: readonly (string | number)[] }[] = [{ value: raw, path: [] }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, path } = place;
    if (typeof value === 'string') refuseText(value, path);
    if (typeof value !== 'object' || value === null) continue;
    if (path.length >= maxDepth) {
      throw refusal(path.slice(0, 8), `values may be nested ${maxDepth} deep at most`);
    }
    for (const [key, inner] of Object.entries(value)) {
      refuseText(key, path);
      open.push({ value: inner, path: [...path, key] });
    }
  }
}

function refuseText(text: string, path: readonly (string | number)[]): void {
  if (text.includes('\0')) throw refusal(path, 'text may not hold the character NUL');
  if (!text.isWellFormed()) throw refusal(path, 'text may not hold half a character (a lone surrogate)');
}

function refusal(path: readonly (string | number)[], why: string): BatonError {
  const at = path.join('.').slice(0, 200);
  return new BatonError('INVALID_INPUT', `The input is not valid: ${at === '' ? '' : `${at}: `}${why}.`, {
    at: at === '' ? 'input' : at,
    fix: 'Correct the value and send it again.',
  });
}
