import { z } from 'zod';

import { nearest } from '../terminal/nearest.ts';

type KeyPath = readonly (string | number)[];
type Schema = z.core.JSONSchema.BaseSchema;

/** What a schema allows at a place in a file, over all options of a union. */
export interface Allowed {
  keys: string[];
  /** Values of an enumeration; empty when any value of the type will do. */
  values: string[];
  /** Bounds of a number; absent where none is allowed. */
  range?: { least?: number | undefined; most?: number | undefined; isWhole: boolean };
  /** A list of strings is allowed; `argv`: a program and its arguments. */
  list?: 'argv' | 'strings';
}

/** Made once: that of a plan takes longer than reading one. */
const schemas = new WeakMap<z.ZodType, Schema>();

/** Looks a place up in a schema, for messages that say what would have been right. */
export function allowedAt(schema: z.ZodType, path: KeyPath): Allowed {
  const root =
    schemas.get(schema) ?? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema);
  schemas.set(schema, root);
  let nodes = options(root, root);
  for (const key of path)
    nodes = nodes.flatMap((node) => step(node, key)).flatMap((node) => options(node, root));
  const number = nodes.find(({ type }) => type === 'number' || type === 'integer');
  const list = nodes.find(({ type }) => type === 'array');
  const items = list?.items as Schema | undefined;
  return {
    ...(number && {
      range: { least: number.minimum, most: number.maximum, isWhole: number.type === 'integer' },
    }),
    ...(items?.type === 'string' && {
      list: list?.description?.startsWith('program and arguments') ? ('argv' as const) : ('strings' as const),
    }),
    keys: [...new Set(nodes.flatMap((node) => Object.keys(node.properties ?? {})))],
    values: [
      ...new Set(nodes.flatMap((node) => node.enum ?? (node.const === undefined ? [] : [node.const]))),
    ].map(String),
  };
}

/** `unknown key "typ"; did you mean "type"?` */
export function unknownKeyMessage(key: string, allowed: readonly string[]): string {
  // Known to another option of the union: `pattern` belongs to glob_exists, not to file_contains.
  if (allowed.includes(key)) return `unknown key "${key}": it does not belong to this type`;
  const meant = nearest(key, allowed);
  if (meant !== undefined) return `unknown key "${key}"; did you mean "${meant}"?`;
  return allowed.length > 0
    ? `unknown key "${key}"; known here: ${allowed.join(', ')}`
    : `unknown key "${key}"`;
}

function options(node: Schema, root: Schema): Schema[] {
  if (typeof node.$ref === 'string') {
    const target = node.$ref === '#' ? root : root.$defs?.[node.$ref.replace('#/$defs/', '')];
    return typeof target === 'object' ? options(target, root) : [];
  }
  const inner = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])] as Schema[];
  return inner.length > 0 ? inner.flatMap((option) => options(option, root)) : [node];
}

function step(node: Schema, key: string | number): Schema[] {
  const next = typeof key === 'number' ? node.items : (node.properties?.[key] ?? node.additionalProperties);
  return typeof next === 'object' && !Array.isArray(next) ? [next as Schema] : [];
}
