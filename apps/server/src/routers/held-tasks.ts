import { draftTask, microUsd, newTask } from '@baton/contracts';
import { z } from 'zod';
import { rowId } from '../api/inputs.ts';
import { interceptDrafts } from '../tasks/create-tasks.ts';
import { reportEnd, reportFact } from '../tasks/report-fact.ts';
import { mostMicroUsd, openSpending, refuseSilentAgent } from '../tasks/spending.ts';
import { asCommand, worker } from '../api/trpc.ts';
import { withoutUndefined } from '../api/without-undefined.ts';

const id = z.string().min(1).max(200);
const commit = z.string().regex(/^[0-9a-f]{40,64}$/, 'must be a whole commit id');
const reason = z.string().min(1).max(10_000);
const leaseMs = z.number().int().min(10_000).max(3_600_000).default(120_000);

/** What a claim answered with. Every report shows it; a newer holder makes it void. */
const held = z.strictObject({
  sessionId: rowId,
  holding: z.strictObject({
    attemptId: rowId,
    fence: z
      .number()
      .int()
      .min(0)
      .max(2 ** 31 - 1),
  }),
  commandId: id.max(150).optional(),
});
const claim = z.strictObject({
  taskId: rowId,
  workerId: rowId,
  leaseMs,
  capabilities: z.strictObject({
    host: id,
    labels: z.array(z.string().max(200)).max(100).default([]),
    roles: z.array(z.string().max(64)).max(100).optional(),
  }),
  commandId: id.max(150).optional(),
});
const start = held.extend({
  adapter: id,
  model: id.nullable().default(null),
  workspace: z.string().min(1).max(4_096),
  baseCommit: commit,
  startCommit: commit,
});
/** A report that ends the work, with all that it cost. */
const ended = held.extend({
  costMicroUsd: microUsd
    .max(mostMicroUsd)
    .optional()
    .describe('all that the attempt cost; without it what it could have spent is booked'),
});
const complete = ended.extend({
  baseCommit: commit,
  startCommit: commit,
  headCommit: commit,
  summary: z.string().max(100_000).default(''),
});
const failure = ended.extend({
  reason,
  outcome: z
    .enum(['agent_failed', 'timeout', 'crashed', 'rate_limited', 'spawn_failed'])
    .default('agent_failed'),
});
const children = ended.extend({ reason, children: z.array(newTask).min(1).max(100) });

/** For workers that come by HTTP: claim one task by its id, then report what becomes of it, under its fence. */
export const heldTaskProcedures = {
  claim: worker
    .input(claim)
    .use(asCommand)
    .mutation(({ ctx, input: { taskId, capabilities, commandId: _, ...request } }) =>
      ctx.store.claims.claimTask(taskId, {
        ...request,
        capabilities: withoutUndefined(capabilities),
        ...ctx.command,
      }),
    ),
  renewLeases: worker
    .input(z.strictObject({ workerId: rowId, leaseMs }))
    .mutation(({ ctx, input }) => ctx.store.claims.renewLeases(input)),
  /** The agent is at work on a worktree at `startCommit`. */
  start: worker
    .input(start)
    .use(asCommand)
    .mutation(async ({ ctx, input }) => {
      const { holding, adapter, model, workspace, baseCommit, startCommit } = input;
      const process = { pid: null, pidStarted: null, deadlineAt: null, route: null };
      const spender = { sessionId: input.sessionId, attemptId: holding.attemptId, adapter };
      await refuseSilentAgent(ctx.store, spender);
      await reportFact(
        ctx,
        { fact: 'launched', holdings: [holding], adapter, model, workspace, ...process },
        ctx.command,
      );
      await openSpending(ctx.store, spender);
      return reportFact(ctx, { fact: 'ready', holding, baseCommit, startCommit }, ctx.command);
    }),
  /**
   * Done, as far as the worker knows: the commits must be in the repository, follow the start, and be this attempt's; then they
   * are verified and landed, or rejected, by the lane.
   */
  complete: worker
    .input(complete)
    .use(asCommand)
    .mutation(async ({ ctx, input: { sessionId, costMicroUsd, commandId: _, ...fact } }) => {
      const place = await ctx.heads.check(ctx.store, { sessionId, ...fact });
      if (place !== null) await ctx.store.lanes.placeHead(fact.holding, place);
      return reportEnd(
        ctx,
        { fact: 'done', ...fact },
        { ...ends(fact, 0), sessionId, costMicroUsd, ...ctx.command },
      );
    }),
  fail: worker
    .input(failure)
    .use(asCommand)
    .mutation(({ ctx, input: { sessionId, costMicroUsd, commandId: _, ...fact } }) =>
      reportEnd(
        ctx,
        { fact: 'agent_failed', ...fact },
        { ...ends(fact, 1), sessionId, costMicroUsd, ...ctx.command },
      ),
    ),
  /** Gives the task back; the try does not count. */
  release: worker
    .input(ended.extend({ reason }))
    .use(asCommand)
    .mutation(({ ctx, input: { sessionId, costMicroUsd, commandId: _, ...fact } }) =>
      reportEnd(
        ctx,
        { fact: 'released', ...fact },
        { ...ends(fact, 0), sessionId, costMicroUsd, ...ctx.command },
      ),
    ),
  /** The task waits for smaller ones that take its place. */
  decompose: worker
    .input(children)
    .use(asCommand)
    .mutation(async ({ ctx, input: { sessionId, costMicroUsd, commandId: _, ...fact } }) => {
      const source = { kind: 'agent', by: ctx.actor, trusted: true } as const;
      const given = fact.children.map((child) => draftTask(child, source));
      const drafts = await interceptDrafts(ctx.plugins, { runId: null, drafts: given });
      const decomposed = { fact: 'decomposed' as const, ...fact, children: drafts };
      return reportEnd(ctx, decomposed, { ...ends(fact, 0), sessionId, costMicroUsd, ...ctx.command });
    }),
};

function ends(fact: { holding: { attemptId: string } }, exitCode: number) {
  return { attemptId: fact.holding.attemptId, exitCode };
}
