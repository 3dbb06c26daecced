import type { Allowed } from './key-hints.ts';

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping of keys to values',
  record: 'a mapping of keys to values',
  null: 'nothing',
};

/** What a schema says against a value, as a sentence that shows what would have been right. Pure. */
export function plainIssue(
  message: string,
  { key, value, allowed }: { key: string; value: unknown; allowed: Allowed },
): string {
  const [, expected, received] = /expected (\w+), received (\w+)/.exec(message) ?? [];
  if (key === 'budget' && expected === 'object')
    return `must be a mapping: budget: { usd: ${amountIn(value)} }`;
  if (allowed.list !== undefined && typeof value === 'string')
    return allowed.list === 'argv' ? listOfWords(value) : `must be a list: ${key}: [${inYaml(value)}]`;
  if (
    typeof value === 'number' &&
    allowed.range !== undefined &&
    /^Too (big|small)|expected int/.test(message)
  )
    return outOfRange(value, allowed.range);
  if (expected !== undefined && received !== undefined)
    return `must be ${typeNames[expected] ?? expected}, not ${typeNames[received] ?? received}`;
  const [, bound, count] =
    /^Too (small|big): expected (?:array|string) to have [<>]=(\d+)/.exec(message) ?? [];
  if (count !== undefined)
    return `must have at ${bound === 'small' ? 'least' : 'most'} ${countOf(count, value)}`;
  return message.replace(/^Invalid input: /, '');
}

function countOf(count: string, value: unknown): string {
  const [one, many] = Array.isArray(value) ? ['entry', 'entries'] : ['character', 'characters'];
  return `${count} ${count === '1' ? one : many}`;
}

/** `sh -c` is named only where a shell would have done something with the line. */
export const shellSyntax = /&&|\|\||[|;<>`]|\$\(/;

function listOfWords(line: string): string {
  if (shellSyntax.test(line))
    return `must be a list of a program and its arguments; there is no shell, so name one: [sh, -c, ${inYaml(line)}]`;
  const words = line.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const list = words.map((word) => inYaml(word.replace(/^(["'])(.*)\1$/, '$2'))).join(', ');
  return `must be a list of a program and its arguments: [${list}]`;
}

/** A scalar within a flow list, quoted where YAML would read something else. */
export function inYaml(text: string): string {
  return /^[A-Za-z0-9_./-][A-Za-z0-9_./=@+-]*$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;
}

function outOfRange(value: number, { least, most, isWhole }: NonNullable<Allowed['range']>): string {
  const kind = isWhole ? 'a whole number' : 'a number';
  const isBound = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isBound(least) && isBound(most)) return `must be ${kind} from ${least} to ${most}, not ${value}`;
  if (isBound(most)) return `must be ${kind} of at most ${most}, not ${value}`;
  if (isBound(least)) return `must be ${kind} of at least ${least}, not ${value}`;
  return `must be ${kind}, not ${value}`;
}

function amountIn(value: unknown): string {
  const [amount] = /\d+(\.\d+)?/.exec(String(value)) ?? [];
  return amount ?? '5';
}
