/** Whether a sign separates words on a line. Pure. */
export function isBlank(sign: string | undefined): boolean {
  return sign === ' ' || sign === '\t';
}

/** Whether a word ends at a sign outside of quotes. Pure. */
export function wordEnds(text: string, at: number): boolean {
  return /[\s;&|()<>]/.test(text[at] ?? ' ');
}

/** Where what begins with a quote ends; -1 where it does not. Pure. */
export function closingQuote(text: string, from: number): number {
  const quote = text[from] ?? '';
  if (quote === "'") return text.indexOf(quote, from + 1);
  let depth = 0;
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '$' && text[at + 1] === '(') depth += 1;
    else if (depth > 0 && text[at] === ')') depth -= 1;
    else if (depth === 0 && text[at] === quote) return at;
  }
  // A bracket that only quotes: the next quote is the end.
  return text.indexOf(quote, from + 1);
}

/** Words that end a group. */
export const closing = new Set(['done', 'fi', 'esac', '}']);
/** Words between commands. */
export const between = new Set(['do', 'then', 'else', 'elif', '!', 'function']);
/** Words that begin a group, with those that end it. */
export const groups: Readonly<Record<string, string>> = {
  ...{ while: 'done', until: 'done', for: 'done', select: 'done', if: 'fi', case: 'esac', '{': '}' },
};
