import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  crashPointArguments,
  createRepo,
  processStartTime,
  readCrashLog,
  tellStrike,
  tempDir,
  until,
  type CrashCatalogue,
  type CrashStrike,
  type RepoSnapshot,
  type TestRepo,
} from '@baton/testkit';
import type { TortureServer } from '../../../../packages/task-store/test/campaigns/torture/server.ts';
import {
  runWatched,
  type Ended,
} from '../../../../packages/task-store/test/campaigns/torture/run-watched.ts';
import {
  byProcess,
  type Trial,
  type TrialSignals,
} from '../../../../packages/task-store/test/campaigns/torture/trial.ts';

import { judgeRun, judgeRunMoment, storeOf } from './run-judge.ts';
import { ignoredFiles, type TortureScript } from './tough-plan.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const longestMs = 180_000;

/** The place of one trial: a repository, a state folder, a database. */
export interface RunPlace {
  repo: TestRepo;
  before: RepoSnapshot;
  /** The commit that the run began on. */
  base: string;
  home: string;
  /** The shared server's database; null: the embedded one in the state folder. */
  url: string | null;
  compileCache: string;
  plan: TortureScript;
}

/** Where trials are held. */
export interface RunTrialOptions extends TrialSignals {
  /** Null: each trial has the embedded server of its own state folder. */
  server: TortureServer | null;
  catalogue: CrashCatalogue;
  /** The plan that is run, from the folder of its ledger; and what must come of it. */
  plan: TortureScript;
  /** Folder for what Node has compiled once. */
  compileCache: string;
}

/** One run of `baton run` that is struck, and resumed by a fresh process until it is over; then everything is judged. */
export async function runTrial(strikes: readonly CrashStrike[], options: RunTrialOptions): Promise<Trial> {
  const { server, catalogue, compileCache, plan, signal } = options;
  await using home = await tempDir();
  await using repo = await createRepo({ 'shared.txt': 'shared\n', '.gitignore': ignoredFiles['.gitignore'] });
  await repo.write({
    ...ignoredFiles,
    'plan.yaml': plan.text(home.path),
    'next.yaml': plan.nextText(home.path),
  });
  const database = server === null ? null : await server.fresh();
  const place: RunPlace = {
    repo,
    before: await repo.snapshot(),
    base: await repo.git('rev-parse', 'HEAD'),
    home: home.path,
    url: database?.url ?? null,
    compileCache,
    plan,
  };
  const trial: Trial = { strikes, kills: 0, violations: [], passages: [] };
  const wrong = (violations: readonly string[]) =>
    trial.violations.push(...violations.map((each) => `${strikes.map(tellStrike).join(', ')}: ${each}`));
  let wasKilled = false;
  try {
    for (const [at, blows] of [...byProcess(strikes), []].entries()) {
      const [strike = null, ...more] = blows;
      const args = await nextCall(place, { at, wasKilled });
      if (args === null) break;
      const log = path.join(home.path, `log-${at}`);
      const order = { log, catalogue, strike, more };
      const watched = crashPointArguments(path.join(home.path, `order-${at}`), order);
      const ended = await callBaton([...watched, main, ...args], { place, signal });
      if (signal?.aborted) break;
      const passages = readCrashLog(log);
      trial.passages.push(...passages);
      const fallen = passages.filter(({ struck }) => struck !== undefined).length;
      trial.kills += fallen;
      const isKilled = fallen > 0 && strike?.victim === 'self';
      if (isKilled ? ended.signal !== 'SIGKILL' : ended.exitCode !== 0)
        wrong([
          `\`baton ${args.join(' ')}\` ended with ${ended.signal ?? ended.exitCode}: ${ended.stderr.slice(-2_000)}`,
        ]);
      wasKilled = isKilled;
      if (isKilled) wrong(await judgeRunMoment(place));
    }
    if (!signal?.aborted) wrong(await judgeRun(place));
  } catch (error) {
    wrong([
      `the trial broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ]);
  } finally {
    if (signal?.aborted && server === null) await endOwnServer(home.path);
    await database?.drop();
  }
  return trial;
}

/** What a person would type next; null when nothing is left to do. */
async function nextCall(
  place: RunPlace,
  { at, wasKilled }: { at: number; wasKilled: boolean },
): Promise<string[] | null> {
  if (at === 0) return ['run', 'plan.yaml'];
  await using access = await storeOf(place);
  const runs = access === null ? [] : (await access.store.listRuns({ limit: 3 })).items;
  if (runs.length === 0) return ['run', 'plan.yaml'];
  if (runs.some(({ status }) => status !== 'done')) return ['run', '--resume'];
  // Killed when all was done: whatever it left is for whoever comes next.
  return wasKilled ? ['run', 'next.yaml'] : null;
}

async function callBaton(
  args: readonly string[],
  { place, signal }: TrialSignals & { place: RunPlace },
): Promise<Ended> {
  const { repo, home, url, compileCache } = place;
  return runWatched(args, {
    cwd: repo.path,
    env: {
      HOME: home,
      USER: 'tester',
      NO_COLOR: '1',
      BATON_HOME: home,
      ...(url === null ? {} : { DATABASE_URL: url }),
      NODE_COMPILE_CACHE: compileCache,
    },
    longestMs,
    signal,
    // It ends its agents and its server by itself.
    atInterruption: 'SIGTERM',
  });
}

/** The embedded server that an interrupted trial leaves: nobody judges it any more. */
async function endOwnServer(home: string): Promise<void> {
  for (const file of globSync('projects/*/postgres/pg/postmaster.pid', { cwd: home })) {
    const pid = Number(readFileSync(path.join(home, file), 'utf8').split('\n')[0]);
    if (processStartTime(pid) !== undefined) process.kill(pid, 'SIGQUIT');
    await until(() => processStartTime(pid) === undefined, { what: 'the server of the trial has ended' });
  }
}
