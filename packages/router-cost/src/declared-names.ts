import type { MatchLogic } from '@pydantic/genai-prices';

/**
 * The names that the price data *declares* for a model: alternatives by equality, and whole-name patterns for dated
 * snapshots (`^name-\d{8}$`). Prefixes, suffixes and substrings are guesses and are left out
 * (docs/spec/routing-and-cost.md#catalogue).
 */
export function declaredNames(match: MatchLogic): { exact: string[]; dated: string[] } {
  if ('equals' in match) return { exact: [match.equals], dated: [] };
  if ('regex' in match) {
    const [, name] = /^\^([A-Za-z0-9-]+)-\\d\{8\}\$$/.exec(match.regex) ?? [];
    return { exact: [], dated: name === undefined ? [] : [name] };
  }
  if (!('or' in match)) return { exact: [], dated: [] };
  const parts = match.or.map(declaredNames);
  return { exact: parts.flatMap((part) => part.exact), dated: parts.flatMap((part) => part.dated) };
}
