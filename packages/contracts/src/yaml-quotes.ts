const readings: Readonly<Record<string, string>> = { '!': 'a tag', '*': 'a reference to an anchor' };

/**
 * What to say of a YAML value that lacks quotes, since its first character has a meaning of its own there. Pure.
 * @param offset where the value begins in the text
 */
export function needsQuotes(text: string, offset: number): string {
  const sign = text.charAt(offset);
  return `YAML reads a value that begins with "${sign}" as ${readings[sign] ?? 'syntax of its own'}: put the whole value in quotes`;
}
