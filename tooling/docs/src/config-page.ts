import { fileSchemas, jsonSchema, type JsonSchema } from './json-schemas.ts';

/** `docs/config.md`: every key of every file that people write, with type, default and meaning. */
export function configPage(): string {
  const sections = fileSchemas.flatMap((file) => [
    `## \`${file.file}\``,
    '',
    `${file.title}. For editors: [\`${file.name}.schema.json\`](schema/${file.name}.schema.json).`,
    '',
    '| key | type | default | meaning |',
    '| --- | --- | --- | --- |',
    ...rows(jsonSchema(file), ''),
    '',
  ]);
  return [
    '# Configuration',
    '',
    'Generated from the zod schemas that read these files, by `pnpm check --fix`. Files are strict: an unknown key is refused by name. A duration is a number of seconds or text such as `90s`, `10m`, `2h`.',
    '',
    ...sections,
  ].join('\n');
}

function rows(schema: JsonSchema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = `${prefix}${key}`;
    const needed = schema.required?.includes(key) ? 'required' : defaultOf(field);
    const nested = below(field, name);
    const row = `| \`${name}\` | ${cell(nested.length > 0 ? containerOf(field) : typeOf(field))} | ${cell(needed)} | ${cell(field.description ?? '')} |`;
    return [row, ...nested];
  });
}

function containerOf(field: JsonSchema): string {
  if (field.type === 'array') return 'list of objects';
  return field.properties ? 'object' : 'map to objects';
}

function below(field: JsonSchema, name: string): string[] {
  const variants = field.items?.anyOf ?? field.items?.oneOf;
  if (variants?.some(isLarge)) return rows(merged(variants), `${name}[].`);
  if (field.properties) return rows(field, `${name}.`);
  if (field.items?.properties) return rows(field.items, `${name}[].`);
  const values = field.additionalProperties;
  return typeof values === 'object' && values.properties ? rows(values, `${name}.*.`) : [];
}

const isLarge = (schema: JsonSchema) => Object.keys(schema.properties ?? {}).length > 6;

/** One list of keys for variants of an object; what tells the variants apart becomes a choice. */
function merged(variants: readonly JsonSchema[]): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [key, field] of variants.flatMap((variant) => Object.entries(variant.properties ?? {}))) {
    const known = properties[key];
    if (!known) properties[key] = field.const === undefined ? field : { ...field, enum: [field.const] };
    else if (known.enum && field.const !== undefined)
      properties[key] = { ...known, enum: [...known.enum, field.const] };
  }
  for (const field of Object.values(properties)) if (field.enum) delete field.const;
  const [first, ...others] = variants.map((variant) => variant.required ?? []);
  return { properties, required: (first ?? []).filter((key) => others.every((keys) => keys.includes(key))) };
}

/** The type in words; an object whose keys have rows of their own is just an object. */
function typeOf(field: JsonSchema): string {
  const options = field.anyOf ?? field.oneOf;
  if (options) return options.some(isDurationText) ? 'duration' : options.map(typeOf).join(' or ');
  if (field.const !== undefined) return JSON.stringify(field.const);
  if (field.enum) return field.enum.map((value) => JSON.stringify(value)).join(', ');
  if (field.type === 'array') return `list of ${field.items ? typeOf(field.items) : 'anything'}`;
  if (field.properties) return objectType(field);
  if (typeof field.additionalProperties === 'object') return `map to ${typeOf(field.additionalProperties)}`;
  return `${field.type ?? 'anything'}${range(field)}`;
}

const isDurationText = (option: JsonSchema & { pattern?: string }) =>
  option.pattern?.endsWith('(ms|s|m|h)$') === true;

function objectType(field: JsonSchema): string {
  const keys = Object.entries(field.properties ?? {}).map(([key, value]) => {
    const text = value.const === undefined ? key : `${key}: ${JSON.stringify(value.const)}`;
    return field.required?.includes(key) ? text : `${text}?`;
  });
  return `{ ${keys.join(', ')} }`;
}

function range({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined || Math.abs(minimum) === Number.MAX_SAFE_INTEGER) return '';
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? ` ≥ ${minimum}`
    : ` ${minimum}–${maximum}`;
}

const defaultOf = (field: JsonSchema) =>
  field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``;
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
