/** A line of code: its text, and the same with the contents of strings blanked. */
export interface ReadLine {
  at: number;
  text: string;
  bare: string;
}

/** How far a line is indented, in characters. Pure. */
export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** A line and what is indented below it. Pure. */
export function bodyOf<T extends ReadLine>(code: readonly T[], index: number): T[] {
  const first = code[index];
  if (first === undefined) return [];
  const end = code.findIndex((line, at) => at > index && indentOf(line.text) <= indentOf(first.text));
  return code.slice(index, end < 0 ? code.length : end);
}
