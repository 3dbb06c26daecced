import { age, retention, type RepoConfig } from '@baton/contracts';
import type { Store, StorePart } from '@baton/task-store';
import { InvalidArgumentError } from 'commander';

/** How long what is over is kept; null: without limit. */
export interface Kept {
  eventsMs: number | null;
  agentEventsMs: number | null;
}

/** What `baton.yaml` says, else the defaults. */
export function retentionOf(config: RepoConfig | null): Kept {
  const { events, agent_events } = config?.retention ?? retention.parse({});
  return {
    eventsMs: events === 'never' ? null : events,
    agentEventsMs: agent_events === 'never' ? null : agent_events,
  };
}

/** Reads `90d` of the command line. @throws InvalidArgumentError */
export function parseAge(text: string): number {
  const read = age.safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError('Use text such as "12h" or "90d"; "0d" is at once.');
}

/** One round: old history to files, old streams and checkpoints of agents deleted. */
export async function keepHouse(
  store: StorePart<{ archive: 'write' | 'prune' }>,
  { kept, dir }: { kept: Kept; dir: string },
): Promise<{ archivedEvents: number; prunedAgentEvents: number; prunedCheckpoints: number }> {
  const archived =
    kept.eventsMs === null ? null : await store.archive.write({ dir, olderThanMs: kept.eventsMs });
  const pruned = kept.agentEventsMs === null ? null : await pruneOlder(store, kept.agentEventsMs);
  return {
    archivedEvents: archived?.events ?? 0,
    prunedAgentEvents: pruned?.agentEvents ?? 0,
    prunedCheckpoints: pruned?.checkpoints ?? 0,
  };
}

/** Deletes all that is no part of the record and older than that. */
export function pruneOlder(
  store: StorePart<{ archive: 'prune' }>,
  ms: number,
): ReturnType<Store['archive']['prune']> {
  return store.archive.prune({ agentEventsMs: ms, checkpointsMs: ms, commandsMs: ms });
}
