import { landingRate, landings, mostMemory, mostWaiting } from './moments.ts';
import { playPass, type Pass } from './pass.ts';
import type { Scene } from './scene.ts';

/** The ends of a long run. */
export interface LongFigures {
  agents: number;
  files: number;
  tasks: number;
  /** Landings at either end that are compared. */
  window: number;
  ms: number;
  /** Tasks a second, and the greatest memory of the command in MB. */
  first: { perSecond: number; memoryMb: number };
  last: { perSecond: number; memoryMb: number };
  mostWaiting: number;
}

/**
 * Plays many tasks in one run. What grows with what has landed (rows, refs, objects, what the process keeps) would show as a slower or
 * bigger end; a run of a hundred tasks is over before it could.
 */
export async function playLong(
  scene: Scene,
  order: { agents: number; files: number; tasks: number; window: number },
): Promise<{ figures: LongFigures; pass: Pass }> {
  const { agents, files, tasks, window } = order;
  scene.say(`long: baton run, ${tasks} tasks, ${agents} agents, ${files} files`);
  const pass = await playPass(scene, { agents, files, tasks, counts: false });
  return { figures: longFigures(pass, { window }), pass };
}

/**
 * Compares the first with the last landings of a run. The first begin once each agent had its first task: those land close together,
 * since all were begun at once.
 */
export function longFigures(
  pass: Pick<Pass, 'agents' | 'files' | 'tasks' | 'durationMs' | 'finished' | 'memory'>,
  { window }: { window: number },
): LongFigures {
  const { agents, files, tasks, durationMs, finished, memory } = pass;
  const landed = landings(finished);
  const at = (number: number) => landed[number] ?? Number.NaN;
  const end = landed.length - 1;
  const part = (from: number, to: number) => ({
    perSecond: landingRate(landed, { from, to }),
    memoryMb: mostMemory(memory, { from: at(from), to: at(to) }) / 1e6,
  });
  return {
    ...{ agents, files, tasks, window, ms: durationMs / tasks, mostWaiting: mostWaiting(finished) },
    ...{ first: part(agents - 1, agents - 1 + window), last: part(end - window, end) },
  };
}
