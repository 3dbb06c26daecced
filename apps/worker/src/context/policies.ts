import { CONTAINED, type AbortPolicy } from '@baton/fsm-core';
import type { Run } from '@baton/task-store';
import { z } from 'zod';

/** The part of a stored plan that says how its agents are treated; durations are milliseconds by now. */
const stored = z.looseObject({
  abort: z
    .looseObject({ tool_to_sibling: z.boolean(), sibling_to_session: z.boolean() })
    .optional()
    .catch(undefined),
  budget: z
    .looseObject({ unmeasured: z.enum(['book', 'refuse']).optional() })
    .optional()
    .catch(undefined),
  reuse: z.looseObject({ recycle: z.number() }).optional().catch(undefined),
});

/** What a run's plan says of aborts and of agents that are through with their work. */
export function policiesOf({ plan }: Pick<Run, 'plan'>): {
  abort: AbortPolicy;
  /** How long an agent is kept for more work; null: it is not. */
  recycleMs: number | null;
  /** Whether agents that do not report all they spend are refused. */
  refusesUnmeasured: boolean;
} {
  const parsed = stored.safeParse(plan);
  const { abort, reuse, budget } = parsed.success ? parsed.data : {};
  return {
    abort:
      abort === undefined
        ? CONTAINED
        : { toolToSibling: abort.tool_to_sibling, siblingToSession: abort.sibling_to_session },
    recycleMs: reuse?.recycle ?? null,
    refusesUnmeasured: budget?.unmeasured === 'refuse',
  };
}
