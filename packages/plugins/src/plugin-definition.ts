import { keyName, parseInput } from '@baton/contracts';
import { z } from 'zod';
import type { PluginDefinition } from './plugin.ts';

const isSetup = (value: unknown): boolean => typeof value === 'function';
const isSchema = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'safeParse' in value && isSetup(value.safeParse);

const schema = z.strictObject({
  name: keyName,
  version: z.string('must be a text such as "1.0.0"').min(1, 'must not be empty'),
  required: z.boolean().optional(),
  options: z.custom(isSchema, 'must be a schema of zod, such as z.strictObject({ … })').optional(),
  setup: z.custom(isSetup, 'must be a function: setup(api) { … }'),
});

/** Takes a plugin that its author wrote as a plain object. @throws PLUGIN_INVALID naming every key that is wrong */
export function pluginDefinition(written: object): PluginDefinition<unknown> {
  parseInput(schema, { ...written }, { what: 'its "plugin"', code: 'PLUGIN_INVALID' });
  // Handed on as it is, for `setup` may use `this`.
  return written as PluginDefinition<unknown>;
}
