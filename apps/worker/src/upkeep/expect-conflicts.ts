import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isAlive } from '@baton/spawner';
import type { ConflictNote, WorkUnderWay } from '@baton/task-store';
import type { WorkerContext } from '../context/context.ts';
import { probeLane, type LaneMemory } from './probe-lane.ts';
import { lanesToProbe } from './probe-plan.ts';

/** A rest is this many times as long as the round before it. */
const costFactor = 20;
const longestRestMs = 300_000;

/**
 * Makes the rounds of a look ahead: which work in progress would conflict if it landed as it is. What is found is noted in the store,
 * where `explain` reads it, in place of what was noted before; nothing else comes of it. Without agents at work here a round does
 * nothing. After a round it rests for twenty times as long as the round took, after failures ever longer, at most five minutes.
 */
export function createLookAhead(ctx: WorkerContext): () => Promise<void> {
  const lanes = new Map<string, LaneMemory>();
  const scratch = path.join(ctx.stateDir, 'probe', String(ctx.worker.pid));
  let [round, failures, restUntilMs, noted] = [0, 0, 0, '[]'];
  const look = async (): Promise<void> => {
    const found = ctx.sessions.size === 0 ? [] : await lookAt(ctx, { lanes, scratch, round: (round += 1) });
    const text = JSON.stringify(found);
    if (text === noted) return;
    await ctx.store.workers.setExpectedConflicts(ctx.worker.id, found);
    noted = text;
  };
  sweepLeft(path.dirname(scratch));
  return async () => {
    const startedMs = ctx.clock.monotonicMs();
    if (startedMs < restUntilMs) return;
    try {
      await look();
      failures = 0;
    } catch (cause) {
      failures += 1;
      if (failures === 1) ctx.log.warn('work could not be probed for conflicts', { cause: String(cause) });
    }
    const endedMs = ctx.clock.monotonicMs();
    const pauseMs = failures === 0 ? 0 : ctx.timing.probeMs * 2 ** failures;
    restUntilMs = endedMs + Math.min(longestRestMs, Math.max((endedMs - startedMs) * costFactor, pauseMs));
  };
}

async function lookAt(
  ctx: WorkerContext,
  { lanes, scratch, round }: { lanes: Map<string, LaneMemory>; scratch: string; round: number },
): Promise<ConflictNote[]> {
  const works = await ctx.store.lanes.underWay(ctx.worker.id);
  const isNear = (work: WorkUnderWay): boolean =>
    work.place !== null &&
    work.place.host === ctx.worker.host &&
    work.place.workspace.startsWith(path.join(ctx.stateDir, 'worktrees', work.repoId) + path.sep);
  const mine = lanesToProbe(works, { workerId: ctx.worker.id, isNear });
  const names = new Set(mine.map(nameOf));
  for (const name of lanes.keys()) if (!names.has(name)) lanes.delete(name);
  const isOver = (): boolean => ctx.stopping.aborted || ctx.sessions.size === 0;
  const notes: ConflictNote[] = [];
  try {
    for (const lane of mine) {
      const name = nameOf(lane);
      const memory = lanes.get(name) ?? { probed: new Map(), starts: new Map() };
      lanes.set(name, memory);
      notes.push(...(await probeLane(ctx, lane, { memory, place: { scratch, round, isNear, isOver } })));
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return notes;
}

const nameOf = ([first]: readonly WorkUnderWay[]): string => `${first?.repoId ?? ''} ${first?.target ?? ''}`;

/** What a process that was killed left of a round. */
function sweepLeft(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (!isAlive({ pid: Number(name), pidStarted: null }))
      rmSync(path.join(folder, name), { recursive: true, force: true });
}
