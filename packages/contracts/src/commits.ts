import { z } from 'zod';

const identityPattern = /^[^<>\p{Cc}\p{Zl}\p{Zp}]{1,100} <[^<>\s\p{Cc}]{1,200}>$/u;

/** A person or program as git writes it: `Ada Lovelace <ada@example.com>`. */
export const commitIdentity = z
  .string()
  .trim()
  .regex(identityPattern, 'must be a name and an address, as in "Ada Lovelace <ada@example.com>"');

/** How landed commits are written. */
export const commitStyle = z.strictObject({
  author: commitIdentity
    .optional()
    .describe('author and committer of landed commits; default: Baton <baton@localhost>'),
  co_author: z
    .union([z.literal('none'), commitIdentity])
    .optional()
    .describe(
      'who is named in a Co-authored-by line, or none; default: user.name and user.email of the person who starts the run',
    ),
  trailers: z
    .boolean()
    .optional()
    .describe(
      'false: no Baton-Task, Agent and Model lines; Task-Id, Attempt and Run stay, since Baton reads them; default true',
    ),
});
export type CommitStyle = z.output<typeof commitStyle>;

const stored = z.object({ commits: commitStyle });

/** How commits of a run are written, by its plan as it was stored. */
export function commitStyleOf(plan: unknown): CommitStyle {
  return stored.safeParse(plan).data?.commits ?? {};
}

/** Name and address of an identity that the schema took. */
export function splitIdentity(identity: string): { name: string; email: string } {
  const [, name = '', email = ''] = /^(.*) <(.*)>$/s.exec(identity) ?? [];
  return { name, email };
}
