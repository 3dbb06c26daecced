import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { compileCache, contradictions, tempDir } from '@baton/testkit';
import { migrate, openStore } from '../../src/index.ts';
import { draft } from '../support/builders.ts';
import { flow } from '../support/flow.ts';
import { readJournals, type ClaimerReport } from './claim-journal.ts';
import type { ClaimerOrder } from './contention-claimer.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('./contention-claimer.ts', import.meta.url));

export interface ContentionOptions {
  /** An empty database; it is migrated first. */
  url: string;
  /** Claimers in all. */
  claimers: number;
  tasks: number;
  /** Real processes that they are spread over. */
  processes: number;
  seed: number;
}

export interface ContentionFigures {
  tasks: number;
  claims: number;
  /** Attempts that two claimers both got; must be 0. */
  claimedTwice: number;
  /** Tasks that nobody finished; must be 0. */
  lost: number;
  /** Tasks finished by more than one; must be 0. */
  finishedTwice: number;
  released: number;
  /** Task moves in the history, and how many the claimers' own reports come to: equal. */
  taskMoves: number;
  taskMovesExpected: number;
  /** Calls written down by their callers: claims, renewals, releases, finishes, thefts, adoptions. */
  calls: number;
  /** Tasks whose calls no order explains; must be 0. */
  contradictory: number;
  /** Breaks of the log, and rows that differ from their histories; must be 0. */
  broken: number;
  holds: boolean;
}

/** Many claimers in several processes share one run until all its tasks are done. */
export async function runContention(options: ContentionOptions): Promise<ContentionFigures> {
  const { url, tasks, processes } = options;
  await migrate(url);
  const store = await openStore({ url });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await using folder = await tempDir();
  const journals = Array.from({ length: processes }, (_, n) => path.join(folder.path, `journal-${n}`));
  try {
    const drafts = Array.from({ length: tasks }, (_, n) =>
      draft(`t${n}`, { files: n % 5 === 0 ? [`src/${n}/`] : [] }),
    );
    const { runId } = await flow(store).open(drafts, { slug: `contention-${options.seed}` });
    const reports = await Promise.all(
      journals.map((journal, n) => runProcess({ ...options, runId, process: n, journal })),
    );
    const { rows } = await client.query<{ moves: number }>(
      `SELECT count(*)::int AS moves FROM lifecycle_event WHERE run_id = $1 AND machine = 'task' AND kind = 'move'`,
      [runId],
    );
    const audit = await store.audit.verify();
    const done = (await store.audit.counts(runId))['DONE'] ?? 0;
    const history = readJournals(journals);
    return judge(reports, {
      tasks,
      done,
      taskMoves: rows[0]?.moves ?? 0,
      broken: audit.broken.length,
      calls: history.length,
      contradictory: contradictions(history).length,
    });
  } finally {
    await client.end();
    await store.close();
  }
}

async function runProcess(
  options: ContentionOptions & { runId: string; process: number; journal: string },
): Promise<ClaimerReport> {
  const claimers = Math.ceil(options.claimers / options.processes);
  const order: ClaimerOrder = {
    url: options.url,
    runId: options.runId,
    process: options.process,
    claimers,
    seed: options.seed,
    journal: options.journal,
    dead: [],
  };
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...compileCache() };
  const args = ['--conditions=@baton/source', '--no-warnings', script, JSON.stringify(order)];
  const { stdout } = await run(process.execPath, args, { env, maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as ClaimerReport;
}

function judge(
  reports: ClaimerReport[],
  seen: Pick<ContentionFigures, 'tasks' | 'taskMoves' | 'broken' | 'calls' | 'contradictory'> & {
    done: number;
  },
): ContentionFigures {
  const claims = reports.flatMap((report) => report.claims);
  const finished = reports.flatMap((report) => report.finished);
  const released = reports.reduce((sum, report) => sum + report.released, 0);
  const otherMoves = reports.reduce((sum, report) => sum + report.otherMoves, 0);
  const figures = {
    tasks: seen.tasks,
    claims: claims.length,
    claimedTwice: claims.length - new Set(claims).size,
    lost: seen.tasks - Math.min(seen.done, new Set(finished).size),
    finishedTwice: finished.length - new Set(finished).size,
    released,
    taskMoves: seen.taskMoves,
    // approve once each, claim for each claim, start and complete for each finished one, release for each given back;
    // what happened to those that were stolen
    taskMovesExpected: seen.tasks + claims.length + 2 * finished.length + released + otherMoves,
    calls: seen.calls,
    contradictory: seen.contradictory,
    broken: seen.broken,
  };
  const { claimedTwice, lost, finishedTwice, broken, contradictory } = figures;
  const none = [claimedTwice, lost, finishedTwice, broken, contradictory].every((count) => count === 0);
  return { ...figures, holds: none && figures.taskMoves === figures.taskMovesExpected };
}
