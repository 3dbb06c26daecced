// One process of the contention campaign: claims until nothing is left, taking some batches to done, giving some back.
import { openStore, type Claim, type Store } from '../../src/index.ts';
import { request } from '../support/builders.ts';
import { flow, holding } from '../support/flow.ts';

/** What a claimer process is told, as JSON in its first argument. */
export interface ClaimerOrder {
  url: string;
  runId: string;
  process: number;
  claimers: number;
  seed: number;
}

/** What it says when it is done, as one line of JSON. */
export interface ClaimerReport {
  /** Attempts that it got, as `task number`. */
  claims: string[];
  finished: string[];
  released: number;
}

/** A small generator of chance with a seed (mulberry32), so that a run can be repeated. */
function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function work(
  store: Store,
  options: { claim: Claim; random: () => number; report: ClaimerReport },
): Promise<void> {
  const { claim, random, report } = options;
  const drive = flow(store);
  const giveBack = random() < 0.1;
  if (!giveBack) await drive.launch(claim);
  for (const [at, { task }] of claim.tasks.entries()) {
    if (giveBack) {
      await drive.tell({ fact: 'released', holding: holding(claim, at), reason: 'given back' });
      report.released++;
      continue;
    }
    await (at === 0 ? drive.ready(claim, 0) : drive.next(claim, at));
    await drive.done(claim, at);
    report.finished.push(task.id);
  }
  await drive.over(claim);
}

async function claimer(
  store: Store,
  options: { order: ClaimerOrder; name: string; random: () => number; report: ClaimerReport },
): Promise<void> {
  const { order, name, random, report } = options;
  // Nothing to claim may mean that others hold all: only a run without open tasks is over.
  while (((await store.counts(order.runId))['OPEN'] ?? 0) > 0) {
    const maxTasks = 1 + Math.floor(random() * 3);
    const claim = await store.claimBatch(request({ workerId: name, runId: order.runId, maxTasks }));
    if (claim === null) continue;
    report.claims.push(...claim.tasks.map(({ task, attempt }) => `${task.id} ${attempt.number}`));
    await work(store, { claim, random, report });
  }
}

const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  const order = JSON.parse(argument) as ClaimerOrder;
  const store = await openStore({ url: order.url, poolSize: Math.min(order.claimers, 8) });
  const report: ClaimerReport = { claims: [], finished: [], released: 0 };
  const names = Array.from({ length: order.claimers }, (_, n) => n);
  await Promise.all(
    names.map((n) =>
      claimer(store, {
        order,
        name: `p${order.process}-${n}`,
        random: chance(order.seed * 1000 + order.process * 100 + n),
        report,
      }),
    ),
  );
  await store.close();
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
