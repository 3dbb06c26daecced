import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  crashPointArguments,
  createRepo,
  readCrashLog,
  tellStrike,
  tempDir,
  type CrashCatalogue,
  type CrashStrike,
  type RepoSnapshot,
  type TestRepo,
} from '@baton/testkit';
import type { TortureServer } from '../../../../packages/task-store/test/campaigns/torture/server.ts';
import type { Trial } from '../../../../packages/task-store/test/campaigns/torture/trial.ts';

import { judgeRun, judgeRunMoment, storeOf } from './run-judge.ts';
import { toughPlan } from './tough-plan.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const longestMs = 180_000;

/** The place of one trial: a repository, a state folder, a database. */
export interface RunPlace {
  repo: TestRepo;
  before: RepoSnapshot;
  home: string;
  /** The shared server's database; null: the embedded one in the state folder. */
  url: string | null;
  compileCache: string;
}

/** Where trials are held. */
export interface RunTrialOptions {
  /** Null: each trial has the embedded server of its own state folder. */
  server: TortureServer | null;
  catalogue: CrashCatalogue;
  /** Folder for what Node has compiled once. */
  compileCache: string;
}

/** One run of `baton run` that is struck, and resumed by a fresh process until it is over; then everything is judged. */
export async function runTrial(strikes: readonly CrashStrike[], options: RunTrialOptions): Promise<Trial> {
  const { server, catalogue, compileCache } = options;
  await using home = await tempDir();
  await using repo = await createRepo({ 'shared.txt': 'shared\n' });
  await repo.write({ 'plan.yaml': toughPlan(home.path) });
  const database = server === null ? null : await server.fresh();
  const place: RunPlace = {
    repo,
    before: await repo.snapshot(),
    home: home.path,
    url: database?.url ?? null,
    compileCache,
  };
  const trial: Trial = { strikes, kills: 0, violations: [], passages: [] };
  const wrong = (violations: readonly string[]) =>
    trial.violations.push(...violations.map((each) => `${strikes.map(tellStrike).join(', ')}: ${each}`));
  try {
    for (const [at, strike] of [...strikes, null].entries()) {
      const args = await nextCall(place, at);
      if (args === null) break;
      const log = path.join(home.path, `log-${at}`);
      const order = { log, catalogue, strike };
      const watched = crashPointArguments(path.join(home.path, `order-${at}`), order);
      const ended = await callBaton([...watched, main, ...args], place);
      const passages = readCrashLog(log);
      trial.passages.push(...passages);
      const hasFallen = passages.some(({ struck }) => struck !== undefined);
      if (hasFallen) trial.kills += 1;
      const isKilled = hasFallen && strike?.victim === 'self';
      if (isKilled ? ended.signal !== 'SIGKILL' : ended.exitCode !== 0)
        wrong([
          `\`baton ${args.join(' ')}\` ended with ${ended.signal ?? ended.exitCode}: ${ended.stderr.slice(-2_000)}`,
        ]);
      if (isKilled) wrong(await judgeRunMoment(place));
    }
    wrong(await judgeRun(place));
  } catch (error) {
    wrong([
      `the trial broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ]);
  } finally {
    await database?.drop();
  }
  return trial;
}

/** What a person would type next; null when nothing is left to do. */
async function nextCall(place: RunPlace, at: number): Promise<string[] | null> {
  if (at === 0) return ['run', 'plan.yaml'];
  await using access = await storeOf(place);
  const [run] = access === null ? [] : (await access.store.listRuns({ limit: 2 })).items;
  if (run === undefined) return ['run', 'plan.yaml'];
  return run.status === 'done' ? null : ['run', '--resume'];
}

interface Ended {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

async function callBaton(
  args: readonly string[],
  { repo, home, url, compileCache }: RunPlace,
): Promise<Ended> {
  const { PATH = '' } = process.env;
  const env = {
    PATH,
    HOME: home,
    USER: 'tester',
    NO_COLOR: '1',
    BATON_HOME: home,
    ...(url === null ? {} : { DATABASE_URL: url }),
    NODE_COMPILE_CACHE: compileCache,
  };
  const child = spawn(process.execPath, ['--conditions=@baton/source', ...args], {
    cwd: repo.path,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const tooLong = setTimeout(() => {
    stderr += '\nIt did not come to an end.';
    child.kill('SIGKILL');
  }, longestMs);
  const ended = await new Promise<Ended>((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, stderr }));
  });
  clearTimeout(tooLong);
  return ended;
}
