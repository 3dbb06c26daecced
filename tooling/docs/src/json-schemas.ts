import { plan, repoConfig } from '@baton/contracts';
import { triggersFile } from '@baton/triggers';
import { z } from 'zod';

/** A file that people write, with the schema that reads it. */
export interface FileSchema {
  /** Base name of the schema file, e.g. `plan` for `docs/schema/plan.schema.json`. */
  name: string;
  /** Name of the file that people write. */
  file: string;
  title: string;
  schema: z.ZodType;
}

/** The files that people write. Every one is strict: a key that is not listed is refused by name. */
export const fileSchemas: readonly FileSchema[] = [
  { name: 'plan', file: 'plan.yaml', title: 'A plan', schema: plan },
  { name: 'baton', file: 'baton.yaml', title: 'What the plans of a repository share', schema: repoConfig },
  { name: 'triggers', file: 'triggers.yaml', title: 'Which events become which tasks', schema: triggersFile },
];

/** The part of JSON Schema that zod writes for our files. */
export interface JsonSchema {
  type?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
}

/** The JSON Schema of what may be written in the file: before defaults and conversions. */
export function jsonSchema({ schema, title }: Pick<FileSchema, 'schema' | 'title'>): JsonSchema {
  return { title, ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) } as JsonSchema;
}
