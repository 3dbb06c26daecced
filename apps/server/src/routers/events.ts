import { BatonError } from '@baton/contracts';
import type { StorePart } from '@baton/task-store';
import { tracked } from '@trpc/server';
import { z } from 'zod';
import { rowId } from '../api/inputs.ts';
import { asTrpcError } from '../api/errors.ts';
import { refuseLapsed, router, viewer } from '../api/trpc.ts';

const page = z.strictObject({
  after: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(1000).default(200),
  runId: rowId.optional(),
});
const following = z.strictObject({
  /** Position of the last event that the client has; "0" starts at the beginning, none now. */
  lastEventId: z
    .string()
    .regex(/^\d{1,15}$/)
    .nullish(),
  runId: rowId.optional(),
});

/** The gap-free feed of committed moves. */
export const eventsRouter = router({
  read: viewer.input(page.prefault({})).query(async ({ ctx, input: { runId, ...range } }) => {
    const events = await ctx.store.feed.read(runId === undefined ? range : { ...range, runId });
    // A reader whose database was set back would wait without end, and then take other events for those it has.
    if (events.length === 0) await reached(ctx.store, { position: range.after, at: 'after' });
    return events;
  }),
  /** Live events; each one's id is its position, so a client that reconnects with its last id misses nothing. */
  feed: viewer.input(following.default({})).subscription(async function* ({ ctx, input, signal }) {
    const seat = ctx.feeds.open(ctx.key.id);
    try {
      const live = ctx.events.subscribe({
        after: await startOf(ctx.store, input.lastEventId),
        ...(input.runId === undefined ? {} : { runId: input.runId }),
        signal: signal ?? new AbortController().signal,
        disconnect: ctx.disconnect,
      });
      for await (const event of live) {
        // Without the database there are no new events either; the next one is checked.
        await refuseLapsed(ctx, 'viewer').catch(unlessAway);
        yield tracked(String(event.position), event);
      }
    } catch (cause) {
      // No middleware sees what happens once the stream has begun.
      throw asTrpcError(cause);
    } finally {
      seat.close();
    }
  }),
});

function unlessAway(cause: unknown): void {
  if (BatonError.is(cause, 'UNAUTHENTICATED') || BatonError.is(cause, 'FORBIDDEN')) throw cause;
}

/** @throws INVALID_INPUT for an id that the feed has not reached: it comes from another database */
async function startOf(
  store: StorePart<{ feed: 'position' }>,
  lastEventId: string | null | undefined,
): Promise<number> {
  return lastEventId
    ? reached(store, { position: Number(lastEventId), at: 'lastEventId' })
    : store.feed.position();
}

/** @throws INVALID_INPUT for a position that the feed has not reached */
async function reached(
  store: StorePart<{ feed: 'position' }>,
  { position, at }: { position: number; at: string },
): Promise<number> {
  const head = await store.feed.position();
  if (position <= head) return position;
  throw new BatonError('INVALID_INPUT', `The feed ends at ${head}; there is no event ${position}.`, {
    at,
    fix: 'The id is of another database: start again without it, or with "0".',
  });
}
