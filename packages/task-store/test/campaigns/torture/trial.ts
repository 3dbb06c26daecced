import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  crashPointArguments,
  readCrashLog,
  tempDir,
  tellStrike,
  type CrashCatalogue,
  type CrashPassage,
  type CrashStrike,
} from '@baton/testkit';
import { inCourt, judgeEnd, judgeMoment, type Case } from './judge.ts';
import { judgeBulkEnd, judgeBulkMoment } from './judge-bulk.ts';
import type { LifeOrder } from './life.ts';
import { lifeWorld } from './life-world.ts';
import { runWatched, type TrialSignals, type Ended } from './run-watched.ts';
import type { TortureServer } from './server.ts';

const defaultLongestMs = 120_000;

/** A kind of life, and the laws that it is judged by. */
export interface LifeKind {
  program: URL;
  judgeMoment(court: Case): Promise<string[]>;
  judgeEnd(court: Case): Promise<string[]>;
}

/** Lives that take every way that the store knows. */
export const wholeLife: LifeKind = {
  program: new URL('./life.ts', import.meta.url),
  judgeMoment,
  judgeEnd,
};

/** Lives whose work is claimed and reported in bulk, and put away in the end. */
export const bulkLife: LifeKind = {
  program: new URL('./life-bulk.ts', import.meta.url),
  judgeMoment: judgeBulkMoment,
  judgeEnd: judgeBulkEnd,
};

/** What came of one trial. */
export interface Trial {
  strikes: readonly CrashStrike[];
  /** Blows that really fell. */
  kills: number;
  /** One sentence for each broken promise. */
  violations: string[];
  passages: CrashPassage[];
}

/** Where trials are held. */
export interface TrialOptions extends TrialSignals {
  server: TortureServer;
  catalogue: CrashCatalogue;
  fault?: LifeOrder['fault'];
  /** Whole lives when left out. */
  kind?: LifeKind;
  /** A process that takes longer is stuck; two minutes when left out. */
  longestMs?: number;
}

/**
 * Blows by the process that they fall on: each kills one process, and a fresh one goes on; those at the database fall on
 * the same, which lives through them.
 */
export function byProcess(strikes: readonly CrashStrike[]): CrashStrike[][] {
  const groups: CrashStrike[][] = [];
  for (const strike of strikes) {
    const last = groups.at(-1);
    if (last !== undefined && strike.victim !== 'self' && last[0]?.victim !== 'self') last.push(strike);
    else groups.push([strike]);
  }
  return groups;
}

/** Lives one life: its processes and the database under them are struck, the last process goes on to the end. */
export async function liveTrial(strikes: readonly CrashStrike[], options: TrialOptions): Promise<Trial> {
  const { server, catalogue, fault = null, kind = wholeLife, longestMs = defaultLongestMs, signal } = options;
  await using folder = await tempDir();
  const database = await server.fresh();
  const world = lifeWorld(folder.path);
  const trial: Trial = { strikes, kills: 0, violations: [], passages: [] };
  const wrong = (violations: readonly string[]) =>
    trial.violations.push(...violations.map((each) => `${strikes.map(tellStrike).join(', ')}: ${each}`));
  const order: LifeOrder = { url: database.url, folder: folder.path, host: 'here', leaseMs: 60_000, fault };
  try {
    for (const [at, blows] of [...byProcess(strikes), []].entries()) {
      const [strike = null, ...more] = blows;
      const log = path.join(folder.path, `log-${at}`);
      const watched = crashPointArguments(path.join(folder.path, 'order'), { log, catalogue, strike, more });
      const isAtDatabase = strike !== null && strike.victim !== 'self';
      const ended = await runLife(watched, { order, server, kind, isAtDatabase, longestMs, signal });
      if (signal?.aborted) break;
      const passages = readCrashLog(log);
      trial.passages.push(...passages);
      const fallen = passages.filter(({ struck }) => struck !== undefined).length;
      trial.kills += fallen;
      const isKilled = fallen > 0 && strike?.victim === 'self';
      if (isKilled ? ended.signal !== 'SIGKILL' : ended.exitCode !== 0)
        wrong([`the process ended with ${ended.signal ?? ended.exitCode}: ${ended.stderr.slice(-2_000)}`]);
      if (strike === null) break;
      wrong(await inCourt({ url: database.url, world }, kind.judgeMoment));
    }
    if (!signal?.aborted) wrong(await inCourt({ url: database.url, world }, kind.judgeEnd));
  } catch (error) {
    wrong([
      `the trial broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ]);
  } finally {
    await database.drop();
  }
  return trial;
}

interface LifeSurroundings extends TrialSignals {
  order: LifeOrder;
  server: TortureServer;
  kind: LifeKind;
  isAtDatabase: boolean;
  longestMs: number;
}

async function runLife(watched: readonly string[], options: LifeSurroundings): Promise<Ended> {
  const { order, server, kind, isAtDatabase, longestMs, signal } = options;
  // Who holds the server looks after it, as `baton run` does.
  let looking = Promise.resolve();
  const look = () =>
    server.embedded.ensureRunning().then(
      () => undefined,
      () => undefined,
    );
  const guardOnce = () => {
    looking = looking.then(look);
  };
  const guard = isAtDatabase ? setInterval(guardOnce, 200) : undefined;
  const ended = await runWatched([...watched, fileURLToPath(kind.program), JSON.stringify(order)], {
    env: { NODE_COMPILE_CACHE: server.compileCache },
    longestMs,
    signal,
  });
  clearInterval(guard);
  await looking;
  if (isAtDatabase) await server.settled();
  return ended;
}
