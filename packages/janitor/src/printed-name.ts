/** Has git print each byte of a name that is not ASCII as an escape: what is read as text would lose those that are no UTF-8. */
export const quotingNames = ['-c', 'core.quotePath=true'] as const;

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/**
 * A path as git prints it, quoted or not, as text. A name that is no UTF-8 keeps git's escapes, `caf\351.txt`: two names never become
 * one, and rules about its ending or its folders hold as for any other. Pure.
 */
export function printedName(printed: string): string {
  return printed.startsWith('"') ? nameOfBytes(printedBytes(printed)) : printed;
}

/** The bytes of a path as git prints it, quoted or not. Pure. */
export function printedBytes(printed: string): Buffer {
  if (!printed.startsWith('"')) return Buffer.from(printed, 'utf8');
  const bytes: number[] = [];
  const inner = printed.slice(1, -1);
  for (const [, octal, letter, plain] of inner.matchAll(/\\([0-3][0-7]{2})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(escapes[letter] ?? letter.charCodeAt(0));
    else bytes.push(...Buffer.from(plain ?? '', 'utf8'));
  }
  return Buffer.from(bytes);
}

/** The bytes of a path in one line of ASCII, as git takes it where it reads a name from a line. Pure. */
export function quotedBytes(name: Buffer): string {
  const escaped = [...name].map((byte) => {
    const letter = String.fromCharCode(byte);
    return /[\w./+@%=,~ -]/.test(letter) ? letter : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${escaped.join('')}"`;
}

/** A path of {@link printedName} as git takes it where it reads a name from a line. Pure. */
export function quotedName(name: string): string {
  // A name with escapes for its bytes is ASCII otherwise.
  const parts = /[^\0-\x7f]/.test(name) ? [name] : name.split(/(\\[2-3][0-7]{2})/);
  const bytes = parts.map((part, at) =>
    at % 2 === 1 ? Buffer.of(parseInt(part.slice(1), 8)) : Buffer.from(part, 'utf8'),
  );
  return quotedBytes(Buffer.concat(bytes));
}

/** A path as {@link printedName} has it. Pure. */
export function nameOfBytes(name: Buffer): string {
  const text = name.toString('utf8');
  if (Buffer.from(text, 'utf8').equals(name)) return text;
  return [...name].map((byte) => (byte < 128 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`)).join('');
}

/** Pathspecs that hold a path of {@link printedName}, and perhaps others. Pure. */
export function specsOf(path: string): string[] {
  const parts = path.split(/\\[2-3][0-7]{2}/);
  if (parts.length === 1) return [`:(literal)${path}`];
  const glob = parts.map((part) => part.replace(/[*?[\]\\]/g, '\\$&')).join('?');
  return [`:(literal)${path}`, `:(glob)${glob}`];
}
