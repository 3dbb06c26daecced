import { BatonError } from '@baton/contracts';
import type { z } from 'zod';

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  null: 'null',
  object: 'an object',
  string: 'a text',
  undefined: 'nothing',
};

/**
 * Reads what an agent answered to a method.
 * @throws AGENT_PROTOCOL, which names the method and the first place that cannot be read
 */
export function readAnswer<T>(schema: z.ZodType<T>, answer: unknown, method: string): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const path = parsed.error.issues[0]?.path ?? [];
  const found = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], answer);
  const where = path.length === 0 ? '' : ` at "${path.join('.')}"`;
  throw new BatonError('AGENT_PROTOCOL', `The agent answered ${method} with ${kindOf(found)}${where}.`, {
    fix: 'Update the agent, or take another one.',
  });
}

/** @throws AGENT_PROTOCOL when an agent answers `initialize` with another version of the protocol; a missing one passes */
export function checkVersion(version: unknown, ours: number): void {
  if (typeof version !== 'number' || version === ours) return;
  const message = `The agent speaks version ${version} of the Agent Client Protocol, and Baton speaks version ${ours}.`;
  throw new BatonError('AGENT_PROTOCOL', message, {
    fix: `Install a version of the agent that speaks version ${ours}.`,
  });
}

function kindOf(value: unknown): string {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return kinds[kind] ?? `a ${kind}`;
}
