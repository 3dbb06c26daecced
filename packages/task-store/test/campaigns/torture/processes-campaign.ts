import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  contradictions,
  crashPointArguments,
  planStrikes,
  readCrashLog,
  tellStrike,
  tempDir,
  type CrashStrike,
} from '@baton/testkit';
import { openStore } from '../../../src/index.ts';
import { draft } from '../../support/builders.ts';
import { flow } from '../../support/flow.ts';
import { readJournals } from '../claim-journal.ts';
import type { ClaimerOrder } from '../contention-claimer.ts';
import { openCourt } from './court.ts';
import { judgeRows } from './judge-rows.ts';
import { runWatched } from './run-watched.ts';
import { allMoments, blow, type Stage, type StageOptions } from './stage.ts';
import type { Trial, TrialOptions } from './trial.ts';

const program = fileURLToPath(new URL('../contention-claimer.ts', import.meta.url));
const tasks = 30;
const claimers = 2;
const longestMs = 120_000;

/** Several processes at one run; one is killed, a new one takes its place, and the calls of all must have an order. */
export function processesStage({ catalogue, signal, seed }: StageOptions & { seed: number }): Stage {
  return {
    part: 'processes',
    recovers: false,
    hold: (strikes, server) => trialOf(strikes, { server, catalogue, seed, signal }),
    // The store's own lives are struck at every moment of each; here, at two that are chosen for each.
    plan: (passages) =>
      planStrikes(passages, { victim: 'self', moments: allMoments, seed })
        .filter(
          ({ point, passage, moment }, _, all) =>
            passage > 1 || moment === allMoments[(all.length + point.length + seed) % allMoments.length],
        )
        .map((strike) => [strike]),
    // The first claim: of later ones, a process that starts last on a busy machine may make none.
    few: () => [[blow('pg:claim')]],
  };
}

async function trialOf(
  strikes: readonly CrashStrike[],
  { server, catalogue, seed, signal }: TrialOptions & { seed: number },
): Promise<Trial> {
  await using folder = await tempDir();
  const database = await server.fresh();
  const store = await openStore({ url: database.url, poolSize: 2 });
  const trial: Trial = { strikes, kills: 0, violations: [], passages: [] };
  try {
    // Without paths: what is done would keep those of its batch until it lands, and nothing lands here.
    const drafts = Array.from({ length: tasks }, (_, n) => draft(`t${n}`));
    const { runId } = await flow(store).open(drafts, { slug: 'crowd' });
    const start = (number: number, given: { strike: CrashStrike | null; dead: string[] }) => {
      const journal = path.join(folder.path, `journal-${number}`);
      const order: ClaimerOrder = {
        url: database.url,
        runId,
        process: number,
        claimers,
        seed,
        journal,
        dead: given.dead,
      };
      const log = path.join(folder.path, `log-${number}`);
      const watched = crashPointArguments(path.join(folder.path, `order-${number}`), {
        log,
        catalogue,
        strike: given.strike,
      });
      return runWatched([...watched, program, JSON.stringify(order)], {
        env: { NODE_COMPILE_CACHE: server.compileCache },
        longestMs,
        signal,
      }).then((ended) => ({ ...ended, log, number }));
    };
    const [strike = null] = strikes;
    const first = start(0, { strike, dead: [] }).then(async (ended) => {
      if (ended.signal !== 'SIGKILL' || signal?.aborted) return [ended];
      const dead = Array.from({ length: claimers }, (_, n) => `p0-${n}`);
      return [ended, await start(3, { strike: null, dead })];
    });
    const all = (
      await Promise.all([first, start(1, { strike: null, dead: [] }), start(2, { strike: null, dead: [] })])
    ).flat();
    for (const { log, number, signal, exitCode, stderr } of all) {
      const passages = readCrashLog(log);
      trial.passages.push(...(number === 0 ? passages : []));
      const hasFallen = passages.some(({ struck }) => struck !== undefined);
      if (hasFallen) trial.kills += 1;
      if (hasFallen ? signal !== 'SIGKILL' : exitCode !== 0)
        trial.violations.push(`process ${number} ended with ${signal ?? exitCode}: ${stderr.slice(-1_500)}`);
    }
    const journals = [0, 1, 2, 3].map((number) => path.join(folder.path, `journal-${number}`));
    trial.violations.push(...(await judgeCrowd(database.url, { runId, journals })));
  } catch (error) {
    trial.violations.push(
      `the trial broke off: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  } finally {
    await store.close();
    await database.drop();
  }
  trial.violations = trial.violations.map((each) => `${strikes.map(tellStrike).join(', ')}: ${each}`);
  return trial;
}

async function judgeCrowd(
  url: string,
  { runId, journals }: { runId: string; journals: readonly string[] },
): Promise<string[]> {
  await using court = await openCourt(url);
  if (court === null) return ['there is no store'];
  const wrong = await judgeRows(court);
  const counts = await court.store.audit.counts(runId);
  if (counts['DONE'] !== tasks) wrong.push(`tasks are ${JSON.stringify(counts)}`);
  const history = readJournals(journals);
  wrong.push(
    ...contradictions(history).map(
      ({ taskId, operations }) =>
        `no order explains the calls for ${taskId}: ${JSON.stringify(operations.map(({ taskId: _, ...rest }) => rest))}`,
    ),
  );
  const finished = history
    .filter(({ kind, ok }) => kind === 'done' && ok === true)
    .map(({ taskId }) => taskId);
  if (new Set(finished).size !== finished.length) wrong.push('a task was finished twice');
  return wrong;
}
