import { rmSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '@baton/testkit';
import { historyOf, isInProcesses, type History } from './history.ts';
import { judge } from './judge.ts';
import type { Outcome } from './outcome.ts';
import { play } from './play.ts';
import { openStage, type OpenStage } from './stage.ts';

// Plays the histories of the seeds that it is sent, both kinds at the same time, and reports each.
const send = process.send?.bind(process);
process.once('disconnect', () => process.exit(1));
process.once('message', (seeds) => {
  void playAll(seeds as number[]).then(
    () => {
      process.exitCode = 0;
      process.removeAllListeners('disconnect');
      process.disconnect();
    },
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function playAll(seeds: readonly number[]): Promise<void> {
  await using folder = await tempDir();
  process.once('exit', () => rmSync(folder.path, { recursive: true, force: true }));
  const histories = seeds.map(historyOf);
  const lane = async (who: 'here' | 'processes', own: readonly History[]) => {
    if (own.length === 0) return;
    await using stage = await openStage(who, { folder: path.join(folder.path, who) });
    for (const history of own) send?.(await playOne(history, stage));
  };
  await Promise.all([
    lane(
      'here',
      histories.filter((history) => !isInProcesses(history)),
    ),
    lane('processes', histories.filter(isInProcesses)),
  ]);
}

async function playOne(history: History, stage: OpenStage): Promise<Outcome> {
  const startedMs = performance.now();
  const broken = { landed: 0, rejected: 0, conflicts: 0, wronglyRed: 0, struck: [], gateRuns: 0, lies: 0 };
  try {
    const played = await play(history, stage);
    const judged = await judge(played, stage.gate.plain);
    played.place.remove();
    const { struck, gateRuns, lies } = played;
    return { history, ...judged, struck, gateRuns, lies, ms: performance.now() - startedMs };
  } catch (error) {
    await stage.team.settle();
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { history, ...broken, problems: [text], ms: performance.now() - startedMs };
  }
}
