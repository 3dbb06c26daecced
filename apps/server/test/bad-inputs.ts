import { z } from 'zod';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Schema {
  type?: string;
  const?: Json;
  enum?: Json[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  minimum?: number;
  format?: string;
  pattern?: string;
  default?: Json;
}

const nested = (depth: number): Json => {
  let value: Json = 1;
  for (let left = depth; left > 0; left -= 1) value = left % 2 === 0 ? [value] : { a: value };
  return value;
};

/** What a place may be given in place of what belongs there. */
const badValues: readonly Json[] = [
  null,
  true,
  -1,
  1.5,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  1e308,
  '',
  ' ',
  'x',
  'not-an-id',
  '0s',
  '100000h',
  'a\0b',
  '\ud800',
  '\u001b]52;c;x\u0007\u202e',
  '%_\\',
  '../../x',
  '--upload-pack=touch x',
  'ext::sh -c "touch x"',
  "'; DROP TABLE task; --",
  '00000000-0000-0000-0000-000000000000',
  'x'.repeat(20_000),
  [],
  ['x'],
  {},
  { a: 1 },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as Json,
  nested(70),
  nested(3_000),
  Array.from({ length: 300 }, () => 'x'),
];

/** A value that a schema describes, with everything that may be left out. */
function sample(schema: Schema): Json {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0] ?? null;
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return sample(options[0] ?? {});
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, sample(inner)]),
      );
    case 'array':
      return schema.items ? [sample(schema.items)] : [];
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    case 'string':
      if (schema.format === 'guid' || schema.format === 'uuid') return '0197f3a4-1c5e-7000-8000-5a3f0c6d2b10';
      return schema.pattern?.includes('0-9a-f]{40') ? 'a'.repeat(40) : '1';
    case undefined:
    default:
      return 'x';
  }
}

/** Each place of a value with what stands in the way of it replaced, one at a time. */
function* replaced(value: Json, by: readonly Json[]): Generator<Json> {
  yield* by;
  if (Array.isArray(value)) {
    for (const [at, inner] of value.entries())
      for (const other of replaced(inner, by)) yield value.with(at, other);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      for (const other of replaced(inner, by)) yield { ...value, [key]: other };
      yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
    }
    yield { ...value, unknownKey: 1 };
  }
}

/** Inputs of a procedure that are wrong in one place each (a few are right by chance). */
export function badInputs(input: z.ZodType): Json[] {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema;
  return [...replaced(sample(schema), badValues)];
}
