// One process of the contention campaign: claims until nothing is left, taking most batches to done, giving some back,
// and losing some to a peer that thinks their agent dead.
import { seededRandom } from '@baton/testkit';
import { openStore } from '../../src/index.ts';
import { type ClaimerReport, claimJournal } from './claim-journal.ts';
import { adopt, claimAndWork, steal, type Claimer } from './contention-work.ts';

/** What a claimer process is told, as JSON in its first argument. */
export interface ClaimerOrder {
  url: string;
  runId: string;
  process: number;
  claimers: number;
  seed: number;
  /** File of its journal of calls. */
  journal: string;
  /** Claimers of processes that are known to be dead: what they held is stolen first. */
  dead: string[];
}

const [argument] = process.argv.slice(2);
if (argument !== undefined) await main(JSON.parse(argument) as ClaimerOrder);

async function main(order: ClaimerOrder): Promise<void> {
  const store = await openStore({ url: order.url, poolSize: Math.min(order.claimers, 8) });
  const journal = claimJournal(order.journal);
  const report: ClaimerReport = { claims: [], finished: [], released: 0, otherMoves: 0 };
  const claimers = Array.from({ length: order.claimers }, (_, n): Claimer => ({
    store,
    journal,
    name: `p${order.process}-${n}`,
    runId: order.runId,
    random: seededRandom(order.seed * 1000 + order.process * 100 + n),
    report,
  }));
  const [first] = claimers;
  if (first !== undefined) await stealFromDead(first, order.dead);
  await Promise.all(claimers.map(claimUntilOver));
  await store.close();
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

async function stealFromDead(claimer: Claimer, dead: readonly string[]): Promise<void> {
  if (dead.length === 0) return;
  for (const { id, workerId } of await claimer.store.tasks.sessions({ runId: claimer.runId, live: true }))
    if (dead.includes(workerId)) await steal(claimer, id);
}

async function claimUntilOver(claimer: Claimer): Promise<void> {
  const { store, runId } = claimer;
  for (;;) {
    if (await claimAndWork(claimer)) continue;
    // Nothing to claim may mean that others hold all: only a run without open tasks is over.
    const counts = await store.audit.counts(runId);
    if ((counts['ORPHANED'] ?? 0) > 0) await adopt(claimer);
    else if ((counts['OPEN'] ?? 0) === 0) return;
  }
}
