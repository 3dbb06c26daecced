import type { StorePart } from '@baton/task-store';

import type { Call } from '../terminal/call.ts';
import { keepHouse, type Kept } from '../record/retention.ts';

const anHourMs = 3_600_000;

/**
 * Starts to archive and prune by the repository's policy, at once and every hour (or `everyMs`); a round that fails is
 * reported, and tried again. No round begins while one is under way.
 * @returns how to stop: a round under way comes to its end first
 */
export function startRounds(
  call: Pick<Call, 'out'>,
  { store }: { store: StorePart<{ archive: 'write' | 'prune' }> },
  retention: { kept: Kept; dir: string; everyMs?: number },
): { stop: () => Promise<void> } {
  let running: Promise<void> | undefined;
  const round = () => {
    running ??= keepHouse(store, retention)
      .then(({ archivedEvents, prunedAgentEvents, prunedCheckpoints }) => {
        if (archivedEvents + prunedAgentEvents + prunedCheckpoints === 0) return;
        call.out.note(
          `Moved ${archivedEvents} events to ${retention.dir}, deleted ${prunedAgentEvents} lines and ${prunedCheckpoints} checkpoints of agents.`,
        );
      })
      .catch((cause: unknown) =>
        call.out.warn(`Archiving failed and is tried again in the next round: ${String(cause)}`),
      )
      .finally(() => (running = undefined));
  };
  round();
  const timer = setInterval(round, retention.everyMs ?? anHourMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
