import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';

/** What a key may do: admin ⊃ operator ⊃ viewer; trigger and worker stand for themselves. */
export const keyScope = z.enum(['admin', 'operator', 'viewer', 'trigger', 'worker']);
export type KeyScope = z.output<typeof keyScope>;

/** What a key is called in lists: one line that shows something, of up to 100 characters. */
export const apiKeyName = z
  .string()
  .max(100)
  .regex(/^(?=.*\S)[^\p{Cc}\p{Zl}\p{Zp}]+$/u, 'must be one line with something to read in it');

const implied: Record<KeyScope, readonly KeyScope[]> = {
  admin: ['admin', 'operator', 'viewer', 'trigger', 'worker'],
  operator: ['operator', 'viewer'],
  viewer: ['viewer'],
  trigger: ['trigger'],
  worker: ['worker'],
};

/** A new API key: `key` is shown once, only `hash` is stored. */
export function makeApiKey(): { key: string; hash: string; prefix: string } {
  const key = `baton_${randomBytes(32).toString('base64url')}`;
  return { key, hash: hashApiKey(key), prefix: key.slice(0, 12) };
}

/** How a key is kept: SHA-256 in hex. A key has 256 random bits, so no salt or slow hash is needed. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Whether a key's scopes allow what a procedure asks. */
export function allows(scopes: readonly string[], needed: KeyScope): boolean {
  return scopes.some(
    (scope) => keyScope.safeParse(scope).success && implied[scope as KeyScope].includes(needed),
  );
}
