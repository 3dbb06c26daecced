import type { Call } from '../cli.ts';
import type { StoreAccess } from '../open-store.ts';
import { keepHouse, type Kept } from '../record/retention.ts';

const everyMs = 3_600_000;

/** Starts to archive and prune by the repository's policy, at once and every hour; a round that fails is told, and tried again. */
export function startRounds(
  call: Call,
  { store }: Pick<StoreAccess, 'store'>,
  house: { kept: Kept; dir: string },
): { stop: () => Promise<void> } {
  let running: Promise<void> | undefined;
  const round = () => {
    running ??= keepHouse(store, house)
      .then(({ archivedEvents, prunedAgentEvents, prunedCheckpoints }) => {
        if (archivedEvents + prunedAgentEvents + prunedCheckpoints === 0) return;
        call.out.note(
          `Moved ${archivedEvents} events to ${house.dir}, deleted ${prunedAgentEvents} lines and ${prunedCheckpoints} checkpoints of agents.`,
        );
      })
      .catch((cause: unknown) =>
        call.out.warn(`Archiving failed and is tried again in an hour: ${String(cause)}`),
      )
      .finally(() => (running = undefined));
  };
  round();
  const timer = setInterval(round, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
