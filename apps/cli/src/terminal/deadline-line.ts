import type { AgentSession, Attempt, Task } from '@baton/task-store';
import { z } from 'zod';

import { formatMs } from './format.ts';

const stored = z.object({
  timeouts: z.record(z.string(), z.object({ timeoutMs: z.number(), reason: z.string() }).nullable()),
});

/** How long the newest attempt may take, until when, and why: `deadline 15m (until 12:34:56): the default of …`; null: unknown. */
export function deadlineLine(
  task: Pick<Task, 'key'>,
  { attempt, session }: { attempt: Attempt | undefined; session: AgentSession | undefined },
): string | null {
  const timeouts = stored.safeParse(attempt?.route);
  const limit = timeouts.success ? timeouts.data.timeouts[task.key] : null;
  if (!limit) return null;
  const live = session?.endedAt === null && session.deadlineAt !== null && attempt?.endedAt === null;
  const until = live ? ` (until ${session.deadlineAt?.toISOString().slice(11, 19) ?? ''} UTC)` : '';
  return `deadline ${formatMs(limit.timeoutMs)}${until}: ${limit.reason}`;
}
