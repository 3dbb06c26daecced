import type { Explanation, Task } from '@baton/task-store';
import { z } from 'zod';
import { runReference } from '../api/inputs.ts';
import { viewSession } from '../api/session-view.ts';
import { router, viewer } from '../api/trpc.ts';

const stalls = z.strictObject({
  run: runReference,
  limit: z.number().int().min(1).max(200).default(50),
});
/** Causes of tasks that move by themselves, or need not. */
const moving = new Set<Explanation['cause']>(['running', 'verifying', 'ready', 'settled']);
const open: Task['status'][] = [
  'PLANNED',
  'OPEN',
  'BLOCKED',
  'ORPHANED',
  'PENDING_APPROVAL',
  'WAITING_FOR_SUBTASKS',
  'DONE',
];
/** A worker that is silent for longer than a lease holds nothing any more. */
const longestSilenceMs = 120_000;

/** What does not move and why, and whether the machinery is well. */
export const observabilityRouter = router({
  /** Silent or dead agents of a run, and its tasks that wait, each with its reason and who moves it next. */
  stalls: viewer.input(stalls).query(async ({ ctx, input }) => {
    const { id: runId } = await ctx.store.runs.find(input.run);
    const [sessions, tasks] = await Promise.all([
      ctx.store.tasks.sessions({ runId, live: true }),
      ctx.store.tasks.list({ runId, status: open, limit: input.limit }),
    ]);
    const explained = await Promise.all(tasks.items.map((task) => ctx.store.tasks.explain(task.id)));
    return {
      sessions: sessions.map(viewSession).filter(({ visual }) => visual === 'STALLED' || visual === 'DEAD'),
      tasks: explained.filter(({ cause }) => !moving.has(cause)),
      /** There are more open tasks than were looked at. */
      more: tasks.nextCursor !== null,
    };
  }),
  /** One look at the parts: database, workers, plugins, rules. */
  health: viewer.query(async ({ ctx }) => {
    const started = ctx.clock.monotonicMs();
    const feedPosition = await ctx.store.feed.position();
    const databaseMs = Math.round(ctx.clock.monotonicMs() - started);
    const workers = await ctx.store.workers.list();
    const silent = workers.filter((node) => node.status !== 'offline' && node.silentMs > longestSilenceMs);
    const plugins = ctx.plugins.report().filter((plugin) => plugin.cutOff || plugin.state === 'failed');
    const triggersProblem = ctx.triggers.rules().problem;
    return {
      ok: silent.length === 0 && plugins.length === 0 && triggersProblem === null,
      version: ctx.version,
      database: { answersInMs: databaseMs, feedPosition },
      silentWorkers: silent.map(({ id, name, host, heartbeatAt }) => ({ id, name, host, heartbeatAt })),
      failingPlugins: plugins.map(({ name, lastError }) => ({ name, lastError })),
      triggersProblem,
      subscribers: ctx.events.size,
    };
  }),
});
