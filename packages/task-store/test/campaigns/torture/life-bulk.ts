// One process of a life in bulk: many claims and reports in one statement, then the archive. Told what to do as JSON.
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { advanceTask, checkpointOf, createCognitiveTask, type Checkpoint } from '@baton/fsm-core';
import { BatonError } from '@baton/contracts';
import { draft, runDraft } from '../../support/builders.ts';
import { claimTogether } from '../../support/together.ts';
import { openStore, type Claim, type Progress, type Run, type Store } from '../../../src/index.ts';
import type { LifeOrder } from './life.ts';
import { archiveName, bulkKeys, logsName } from './judge-bulk.ts';
import { landAll } from './life-landing.ts';
import { lifeOf, readFeed, recover, register } from './life-upkeep.ts';
import type { Life } from './life-work.ts';
import { commitOf, lifeWorld, type LifeWorld } from './life-world.ts';

const person = { actor: 'operator:tester', reason: 'a person said so' };
async function main(order: LifeOrder): Promise<void> {
  const store = await openStore({ url: order.url, poolSize: 4, random: () => 0 });
  const world = lifeWorld(order.folder);
  const life = lifeOf(store, order);
  await register(life);
  const run = await begin(store);
  do {
    await recover(life);
    await workInBulk(life, run);
    await landAll(life, { world, fault: null });
    await store.runs.settle(run.id);
    await delay(10);
  } while (!(await isOver(store, run)));
  await putAway(store, { world, folder: order.folder });
  await store.workers.setStatus(life.workerId, 'offline', { actor: life.actor, reason: 'it ended' });
  await store.close();
}

async function begin(store: Store): Promise<Run> {
  const run = await store.runs.find('bulk').catch(async (error: unknown) => {
    if (!BatonError.is(error, 'NOT_FOUND')) throw error;
    const repo = { location: 'https://example.org/bulk.git', host: null };
    const made = runDraft(
      bulkKeys.first.map((key) => draft(key)),
      { slug: 'bulk', repo, target: 'baton/bulk' },
    );
    return (await store.runs.create(made, person)).run;
  });
  await store.runs.approvePlan(run.id, person);
  const known = (await store.tasks.list({ runId: run.id, limit: 100 })).items.map(({ key }) => key);
  const drafts = bulkKeys.later.filter((key) => !known.includes(key)).map((key) => draft(key));
  if (drafts.length > 0) await store.tasks.add(run.id, { ...person, drafts, planned: false });
  return run;
}

async function workInBulk(life: Life, run: Run): Promise<void> {
  const { store, actor } = life;
  const { workerId, leaseMs } = life;
  const capabilities = { host: life.host, labels: [] };
  const claims = await claimTogether(store, { workerId, leaseMs, runId: run.id, capabilities }, 10);
  const record = (reports: [Progress, ...Progress[]][]) =>
    Promise.all(reports.map((facts) => store.claims.recordAll(facts, { actor })));
  await record(claims.map(started));
  for (const claim of claims) await think(life, claim);
  await record(claims.map(done));
  for (const { sessionId } of claims)
    await store.claims.record({ fact: 'batch_over', sessionId, exitCode: 0 }, { actor });
}

const holdingOf = ({ tasks }: Claim) => {
  const attempt = tasks[0]?.attempt;
  return { attemptId: attempt?.id ?? '', fence: attempt?.fence ?? 0 };
};
const where = { baseCommit: commitOf('base'), startCommit: commitOf('base') };

const started = (claim: Claim): [Progress, ...Progress[]] => [
  {
    fact: 'launched',
    holdings: [holdingOf(claim)],
    ...{
      adapter: 'command',
      model: null,
      pid: 1,
      pidStarted: '1',
      workspace: '/w',
      deadlineAt: null,
      route: {},
    },
  },
  { fact: 'ready', holding: holdingOf(claim), ...where },
];

const done = (claim: Claim): [Progress] => {
  const holding = holdingOf(claim);
  return [
    { fact: 'done', holding, ...where, headCommit: commitOf('head', holding.attemptId), summary: 'did it' },
  ];
};

/** A burst of tool calls, a stream, and a checkpoint; of the stream and of answers to commands, nothing is kept for ever. */
async function think({ store, actor }: Life, claim: Claim): Promise<void> {
  const holding = holdingOf(claim);
  await store.claims.recordAll(
    [
      { fact: 'tool_started', holding },
      { fact: 'tool_ended', holding },
    ],
    { actor, commandId: `tools of ${holding.attemptId}` },
  );
  const event = { type: 'message', text: 'working', kind: 'assistant' } as const;
  const { sessionId } = claim;
  await store.streams.append([{ sessionId, attemptId: holding.attemptId, event, at: new Date() }]);
  for (const checkpoint of checkpoints())
    await store.streams.appendCheckpoint({ attemptId: holding.attemptId, checkpoint });
}

/** What an agent that thinks keeps on its way. */
function checkpoints(): Checkpoint[] {
  const log: Checkpoint[] = [];
  let task = createCognitiveTask({ taskId: 't', source: 'test', text: 'think', at: 1 });
  for (const type of ['TASK_CREATED', 'REASON_DONE', 'TASK_SUSPENDED'] as const) {
    const before = task.snapshot.context;
    const advanced = advanceTask(task, { type, actor: 'test', reason: type, at: 2 });
    if (!advanced.ok) throw new Error(advanced.code);
    const checkpoint = checkpointOf(advanced.decision, log.length === 0 ? undefined : before);
    if (checkpoint !== null) log.push(checkpoint);
    task = advanced.task;
  }
  return log;
}

async function isOver(store: Store, run: Run): Promise<boolean> {
  const { items } = await store.tasks.list({ runId: run.id, limit: 100 });
  return items.every(({ settled }) => settled);
}

/** Everything has been read and is at rest: all but the newest events leave, and so does what is no record. */
async function putAway(store: Store, { world, folder }: { world: LifeWorld; folder: string }): Promise<void> {
  await readFeed(store, world);
  await store.archive.write({ dir: path.join(folder, archiveName), olderThanMs: 0 });
  // What was kept while it was of use is told before it goes.
  const told = world.fileOf(logsName);
  if (!existsSync(told)) writeFileSync(told, JSON.stringify(await logLengths(store)));
  await store.archive.prune({ agentEventsMs: 0, checkpointsMs: 0, commandsMs: 0 });
}

/** How many checkpoints the longest log of each task has. */
async function logLengths(store: Store): Promise<Record<string, number>> {
  const lengths: Record<string, number> = {};
  for (const { id, key } of (await store.tasks.list({ limit: 100 })).items) {
    const logs = await Promise.all(
      (await store.tasks.attempts(id)).map((each) => store.streams.checkpoints(each.id)),
    );
    lengths[key] = Math.max(0, ...logs.map(({ length }) => length));
  }
  return lengths;
}

const [argument] = process.argv.slice(2);
if (argument !== undefined) await main(JSON.parse(argument) as LifeOrder);
