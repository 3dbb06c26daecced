import { spawn } from 'node:child_process';
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
import { inCourt, judgeEnd, judgeMoment } from './judge.ts';
import type { LifeOrder } from './life.ts';
import { lifeWorld } from './life-world.ts';
import type { TortureServer } from './server.ts';

const program = fileURLToPath(new URL('./life.ts', import.meta.url));
const defaultLongestMs = 120_000;

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
export interface TrialOptions {
  server: TortureServer;
  catalogue: CrashCatalogue;
  fault?: LifeOrder['fault'];
  /** A process that takes longer is stuck; two minutes when left out. */
  longestMs?: number;
}

/** Lives one life: each blow kills one process (or the database under it), a fresh one goes on, the last to the end. */
export async function liveTrial(strikes: readonly CrashStrike[], options: TrialOptions): Promise<Trial> {
  const { server, catalogue, fault = null, longestMs = defaultLongestMs } = options;
  await using folder = await tempDir();
  const database = await server.fresh();
  const world = lifeWorld(folder.path);
  const trial: Trial = { strikes, kills: 0, violations: [], passages: [] };
  const wrong = (violations: readonly string[]) =>
    trial.violations.push(...violations.map((each) => `${strikes.map(tellStrike).join(', ')}: ${each}`));
  const order: LifeOrder = { url: database.url, folder: folder.path, host: 'here', leaseMs: 60_000, fault };
  try {
    for (const strike of [...strikes, null]) {
      const log = path.join(folder.path, `log-${strikes.indexOf(strike as CrashStrike)}`);
      const watched = crashPointArguments(path.join(folder.path, 'order'), {
        log,
        catalogue,
        strike,
      });
      const isAtDatabase = strike !== null && strike.victim !== 'self';
      const ended = await runLife(watched, { order, server, isAtDatabase, longestMs });
      const passages = readCrashLog(log);
      trial.passages.push(...passages);
      const hasFallen = passages.some(({ struck }) => struck !== undefined);
      if (hasFallen) trial.kills += 1;
      const isKilled = hasFallen && strike?.victim === 'self';
      if (isKilled ? ended.signal !== 'SIGKILL' : ended.exitCode !== 0)
        wrong([`the process ended with ${ended.signal ?? ended.exitCode}: ${ended.stderr.slice(-2_000)}`]);
      if (strike === null) break;
      wrong(await inCourt({ url: database.url, world }, judgeMoment));
    }
    wrong(await inCourt({ url: database.url, world }, judgeEnd));
  } catch (error) {
    wrong([
      `the trial broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ]);
  } finally {
    await database.drop();
  }
  return trial;
}

interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

async function runLife(
  watched: readonly string[],
  options: { order: LifeOrder; server: TortureServer; isAtDatabase: boolean; longestMs: number },
): Promise<Ended> {
  const { order, server, isAtDatabase, longestMs } = options;
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE: server.compileCache };
  const args = ['--conditions=@baton/source', ...watched, program, JSON.stringify(order)];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const tooLong = setTimeout(() => {
    stderr += '\nIt did not come to an end.';
    child.kill('SIGKILL');
  }, longestMs);
  // Who holds the server looks after it, as `baton run` does.
  let looking = Promise.resolve();
  const guard = isAtDatabase
    ? setInterval(() => {
        looking = looking.then(() =>
          server.embedded.ensureRunning().then(
            () => undefined,
            () => undefined,
          ),
        );
      }, 200)
    : undefined;
  const ended = await new Promise<Ended>((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stderr }));
  });
  clearTimeout(tooLong);
  clearInterval(guard);
  await looking;
  if (isAtDatabase) await server.settled();
  return ended;
}
