import { z } from 'zod';
import { rowId } from '../api/inputs.ts';
import { apiKeyName, keyScope, makeApiKey } from '../access/keys.ts';
import { admin, router, viewer } from '../api/trpc.ts';

/** API keys: who am I, make, list, revoke. */
export const authRouter = router({
  whoami: viewer.query(({ ctx }) => ({ name: ctx.key.name, scopes: ctx.key.scopes })),
  listKeys: admin.query(({ ctx }) => ctx.store.keys.list()),
  createKey: admin
    .input(z.strictObject({ name: apiKeyName, scopes: z.array(keyScope).min(1).max(10) }))
    .mutation(async ({ ctx, input }) => {
      const { key, hash, prefix } = makeApiKey();
      await ctx.store.keys.create({
        id: ctx.ids.uuid(),
        name: input.name,
        hash,
        prefix,
        scopes: input.scopes,
      });
      return { key, name: input.name, scopes: input.scopes };
    }),
  revokeKey: admin.input(z.strictObject({ keyId: rowId })).mutation(async ({ ctx, input }) => {
    await ctx.store.keys.revoke(input.keyId);
    return { revoked: input.keyId };
  }),
});
