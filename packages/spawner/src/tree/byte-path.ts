/**
 * Paths as git and the file system have them: bytes, that need not be UTF-8. A byte path is a string with one
 * character (U+0000 to U+00FF) for each byte, so that it can be compared, cut and used as a key without loss.
 */
export type BytePath = string;

/** The bytes of a byte path, as file system calls take them. */
export function bytesOf(file: BytePath): Buffer {
  return Buffer.from(file, 'latin1');
}

/** A byte path from bytes. */
export function fromBytes(bytes: Buffer): BytePath {
  return bytes.toString('latin1');
}

/** A byte path from text. */
export function fromText(text: string): BytePath {
  return fromBytes(Buffer.from(text, 'utf8'));
}

/** A byte path as text, for people and for what knows names as text: quoted as git does where it is not UTF-8. */
export function textOf(file: BytePath): string {
  const text = bytesOf(file).toString('utf8');
  return fromText(text) === file ? text : quoted(file);
}

const plain = /^[A-Za-z0-9._/+@%=,~ -]*$/;
const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** A byte path in one line of ASCII, as git reads it where it reads quoted names. */
export function quoted(file: BytePath): string {
  if (plain.test(file) && file !== '') return file;
  const escaped = file.replace(/[^A-Za-z0-9._/+@%=,~ -]/g, (byte) => {
    return `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `"${escaped}"`;
}

/** Reads a name that git printed with `core.quotePath`. */
export function unquoted(text: string): BytePath {
  if (!text.startsWith('"')) return text;
  return text.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => {
    if (code.length === 3) return String.fromCharCode(parseInt(code, 8));
    return escapes[code] ?? code;
  });
}

/** Lines of git's output. */
export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
