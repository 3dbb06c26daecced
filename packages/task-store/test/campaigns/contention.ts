import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrate, openStore } from '../../src/index.ts';
import { draft } from '../support/builders.ts';
import { flow } from '../support/flow.ts';
import type { ClaimerOrder, ClaimerReport } from './contention-claimer.ts';

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
  /** Broken hash chains, and rows that differ from their histories; must be 0. */
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
  try {
    const drafts = Array.from({ length: tasks }, (_, n) =>
      draft(`t${n}`, { files: n % 5 === 0 ? [`src/${n}/`] : [] }),
    );
    const { runId } = await flow(store).open(drafts, { slug: `contention-${options.seed}` });
    const reports = await Promise.all(
      Array.from({ length: processes }, (_, n) => runProcess({ ...options, runId, process: n })),
    );
    const { rows } = await client.query<{ moves: number }>(
      `SELECT count(*)::int AS moves FROM lifecycle_event WHERE run_id = $1 AND machine = 'task' AND kind = 'move'`,
      [runId],
    );
    const audit = await store.verifyAudit();
    const done = (await store.counts(runId))['DONE'] ?? 0;
    return judge(reports, { tasks, done, taskMoves: rows[0]?.moves ?? 0, broken: audit.broken.length });
  } finally {
    await client.end();
    await store.close();
  }
}

async function runProcess(
  options: ContentionOptions & { runId: string; process: number },
): Promise<ClaimerReport> {
  const claimers = Math.ceil(options.claimers / options.processes);
  const order: ClaimerOrder = {
    url: options.url,
    runId: options.runId,
    process: options.process,
    claimers,
    seed: options.seed,
  };
  const { PATH = '', HOME = '' } = process.env;
  const args = ['--conditions=@baton/source', '--no-warnings', script, JSON.stringify(order)];
  const { stdout } = await run(process.execPath, args, { env: { PATH, HOME }, maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as ClaimerReport;
}

function judge(
  reports: ClaimerReport[],
  seen: { tasks: number; done: number; taskMoves: number; broken: number },
): ContentionFigures {
  const claims = reports.flatMap((report) => report.claims);
  const finished = reports.flatMap((report) => report.finished);
  const released = reports.reduce((sum, report) => sum + report.released, 0);
  const figures = {
    tasks: seen.tasks,
    claims: claims.length,
    claimedTwice: claims.length - new Set(claims).size,
    lost: seen.tasks - Math.min(seen.done, new Set(finished).size),
    finishedTwice: finished.length - new Set(finished).size,
    released,
    taskMoves: seen.taskMoves,
    // approve once each, claim for each claim, start and complete for each finished one, release for each given back
    taskMovesExpected: seen.tasks + claims.length + 2 * finished.length + released,
    broken: seen.broken,
  };
  const none = [figures.claimedTwice, figures.lost, figures.finishedTwice, figures.broken].every(
    (count) => count === 0,
  );
  return { ...figures, holds: none && figures.taskMoves === figures.taskMovesExpected };
}
