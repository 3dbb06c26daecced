import { field, listOf, textOf } from './dependency.ts';

/** A licence as manifests write it: text, `{ type }`, or a list of those, of which one may be chosen. Null: none that can be read. */
export function licenceOf(value: unknown): string | null {
  const names = (Array.isArray(value) ? value : [value]).map(
    (one: unknown) => textOf(one) ?? textOf(field(one, 'type')) ?? '',
  );
  const known = names.map((name) => name.trim()).filter((name) => name !== '');
  if (known.length === 0 || known.length < listOf(value).length) return null;
  return known.length === 1 ? (known[0] ?? null) : known.map((name) => `(${name})`).join(' OR ');
}

/** In characters; a longer expression is none: reading goes as deep as it is nested. */
const longest = 1_000;

/**
 * Whether a licence expression can be met with the licences that are allowed: of `OR` one side, of `AND` both, and `AND` binds first.
 * An exception (`WITH`) only adds to what a licence permits, so the licence itself or both together must be allowed; so it is with a
 * later version (`+`). Ids are compared whatever their case.
 *
 * @returns null: this is no expression of SPDX ids, such as `SEE LICENSE IN terms.txt`
 */
export function isAllowed(expression: string, allowed: readonly string[]): boolean | null {
  if (expression.length > longest) return null;
  const tokens = expression.match(/\(|\)|[^\s()]+/g) ?? [];
  const known = new Set(allowed.map(normal));
  const reader = { tokens, at: 0 };
  const result = either(reader, known);
  return reader.at === tokens.length ? result : null;
}

interface Reader {
  tokens: readonly string[];
  at: number;
}

const normal = (id: string): string => id.trim().replaceAll(/\s+/g, ' ').toLowerCase();

function takes(reader: Reader, word: string): boolean {
  if (reader.tokens[reader.at]?.toUpperCase() !== word) return false;
  reader.at += 1;
  return true;
}

function either(reader: Reader, known: ReadonlySet<string>): boolean | null {
  let result = all(reader, known);
  while (result !== null && takes(reader, 'OR')) {
    const other = all(reader, known);
    result = other === null ? null : result || other;
  }
  return result;
}

function all(reader: Reader, known: ReadonlySet<string>): boolean | null {
  let result = single(reader, known);
  while (result !== null && takes(reader, 'AND')) {
    const other = single(reader, known);
    result = other === null ? null : result && other;
  }
  return result;
}

const id = /^[A-Za-z0-9][A-Za-z0-9.:-]*\+?$/;
const operators = new Set(['AND', 'OR', 'WITH']);

function single(reader: Reader, known: ReadonlySet<string>): boolean | null {
  if (takes(reader, '(')) {
    const inner = either(reader, known);
    return takes(reader, ')') ? inner : null;
  }
  const name = takeId(reader);
  if (name === null) return null;
  const base = normal(name);
  const isKnown = known.has(base) || known.has(base.replace(/\+$/, ''));
  if (!takes(reader, 'WITH')) return isKnown;
  const exception = takeId(reader);
  return exception === null ? null : isKnown || known.has(`${base} with ${normal(exception)}`);
}

function takeId(reader: Reader): string | null {
  const token = reader.tokens[reader.at];
  if (token === undefined || !id.test(token) || operators.has(token.toUpperCase())) return null;
  reader.at += 1;
  return token;
}
