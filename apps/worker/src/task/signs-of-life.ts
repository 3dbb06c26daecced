import type { AgentEvent } from '@baton/contracts';
import { createActivity } from '../context/activity.ts';
import type { WorkerContext } from '../context/context.ts';

/** A sign of life is written this often at most, but for what a person wants to see at once. */
export const signMs = 5_000;

/** Writes down that a session is alive, with what its agent does and, once, the model that it names. */
export function createSigns(
  ctx: Pick<WorkerContext, 'store'>,
  { sessionId }: { sessionId: string },
): (event: AgentEvent, at: Date) => Promise<void> {
  const activityOf = createActivity();
  let lastSign = 0;
  let modelSaid = false;
  let unsaid: { activity?: string; model?: string } = {};
  return async (event, at) => {
    const activity = activityOf(event);
    if (activity !== null) unsaid.activity = activity.text;
    if (event.type === 'usage' && event.usage.model !== null && !modelSaid) {
      modelSaid = true;
      unsaid.model = event.usage.model;
    }
    if (activity?.urgent !== true && at.getTime() - lastSign < signMs) return;
    lastSign = at.getTime();
    const said = unsaid;
    unsaid = {};
    await ctx.store.streams.touchSession(sessionId, { lastSignAt: at, ...said });
  };
}
