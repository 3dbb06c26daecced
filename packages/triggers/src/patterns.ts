import picomatch from 'picomatch';

const maxValueLength = 2_000;

/**
 * Whether a value of an event matches patterns. Globs: `*` ends at "/", `**` does not; a pattern with a leading "!"
 * excludes. The value must match one of the including patterns, if there are any, and none of the excluding ones; of a list
 * one element must do so. Values longer than 2 000 characters match nothing.
 */
export function matches(value: unknown, patterns: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((element) => matches(element, patterns));
  if (!['string', 'number', 'boolean'].includes(typeof value)) return false;
  const text = String(value);
  if (text.length > maxValueLength) return false;
  const excluded = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const included = patterns.filter((pattern) => !pattern.startsWith('!'));
  const one = (pattern: string) => text === pattern || toMatcher(pattern)(text);
  return (included.length === 0 || included.some(one)) && !excluded.some(one);
}

function toMatcher(pattern: string): (text: string) => boolean {
  // Extended globs nest quantifiers: text from outside could make them run without end.
  return picomatch(pattern, { dot: true, noextglob: true, nonegate: true, nobracket: true });
}
