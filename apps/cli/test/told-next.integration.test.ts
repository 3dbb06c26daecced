import { hostname } from 'node:os';
import { plan } from '@baton/contracts';
import { ownSpace, processStart } from '@baton/spawner/processes';
import type { Approval, Fact, Store } from '@baton/task-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decide } from '../src/look/decide.ts';
import type { Call } from '../src/terminal/call.ts';
import { createBench, type Bench } from './support/bench.ts';
import { runDraftOf } from './support/run-draft.ts';
import { createTestStore } from './support/test-store.ts';

const by = { actor: 'operator:tester', reason: 'test' };

let bench: Bench;
let database: Awaited<ReturnType<typeof createTestStore>>;
let store: Store;
beforeAll(async () => {
  bench = await createBench({ 'readme.txt': 'hello\n' });
  database = await createTestStore();
  ({ store } = database);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** What a verb says to a person. */
async function say(...args: string[]): Promise<string> {
  const { stdout, stderr } = await bench.call(args, { env: { DATABASE_URL: database.url } });
  return `${stdout}${stderr}`.trim();
}

const told = async (...args: string[]) => JSON.parse(await say(...args, '--json')) as Record<string, unknown>;

async function planned(slug: string, keys: string[]): Promise<string> {
  const steps = keys.map((key) => ({ key, title: key, max_retries: 0 }));
  const draft = runDraftOf(plan.parse({ name: 'verbs', stages: [{ name: 'all', steps }] }), slug);
  const repo = { location: bench.repo.path, host: hostname() };
  const made = await store.runs.create({ ...draft, repo, target: `baton/${slug}` }, by);
  return made.run.id;
}

async function run(slug: string, keys: string[]): Promise<string> {
  const id = await planned(slug, keys);
  await store.runs.approvePlan(id, by);
  return id;
}

/** Claims a task and reports one fact of it. */
async function tell(
  reference: string,
  told: { fact: Fact['fact'] } & Record<string, unknown>,
): Promise<string> {
  const { id } = await store.tasks.find(reference);
  const capabilities = { host: hostname(), labels: [] };
  const claim = await store.claims.claimTask(id, { workerId: 'w', leaseMs: 60_000, capabilities });
  const attempt = claim?.tasks[0]?.attempt;
  const holding = { attemptId: attempt?.id ?? '', fence: attempt?.fence ?? 0 };
  await store.claims.record({ ...told, reason: 'red', holding } as unknown as Fact, by);
  return id;
}

it('says of what a person frees that its run is paused or not carried, and with which command it moves', async () => {
  const id = await run('still', ['a', 'b']);
  for (const key of ['still/a', 'still/b']) await tell(key, { fact: 'blocked', on: { text: 'a key' } });
  await store.runs.pause(id, by);
  expect(await say('retry', 'still/a')).toBe(
    'a has one more try. The run is paused, and no process carries it: carry it on with `baton run --resume still`.',
  );
  const { pid } = process;
  const place = { host: hostname(), pid, pidStarted: processStart(pid) ?? '', bootId: ownSpace() };
  await store.workers.register({
    ...{ id: 'w9', name: 'w9', capacity: 1, labels: [], version: '1', runId: id },
    ...place,
  });
  expect(await say('retry', 'still/b')).toBe(
    'b has one more try. The run is paused: `baton resume still` continues it.',
  );
  expect(await told('resume', 'still')).toMatchObject({ status: 'running', held: null, next: null });
  await store.runs.pause(id, by);
  await store.workers.setStatus('w9', 'offline', by);
  expect(await say('resume', 'still')).toMatch(/\nCarry the run on with `baton run --resume still`\.$/);
  expect(await told('pause', 'still')).toMatchObject({ status: 'paused', next: null });
});

it('says of an approved plan which command carries it out, and nothing where a process is there for it', async () => {
  await planned('two', ['a', 'b']);
  expect(await say('plan', 'approve', 'two', '--task', 'a')).toBe(
    'Approved 1 task: a. Carry the run on with `baton run --resume two`.',
  );
  const { pid } = process;
  await store.workers.register({
    ...{
      id: 'up',
      name: 'up',
      host: hostname(),
      pid,
      pidStarted: processStart(pid) ?? '',
      bootId: ownSpace(),
    },
    ...{ capacity: 1, labels: [], version: '1', runId: null },
  });
  expect(await told('plan', 'approve', 'two')).toMatchObject({ tasks: ['b'], next: null });
  await planned('three', ['c']);
  expect(await say('plan', 'approve', 'three')).toBe('Approved 1 task: c.');
  await store.workers.setStatus('up', 'offline', by);
  await planned('four', ['d']);
  expect(await say('plan', 'reject', 'four')).toBe('Rejected 1 task: d.');
});

it('does not try again what belongs to a cancelled run, nor lists it when the run is cancelled once more', async () => {
  const runId = await run('gone', ['a', 'b']);
  const id = await tell('gone/a', { fact: 'setup_failed', retry: false, counted: true });
  expect(await store.tasks.get(id)).toMatchObject({ status: 'FAILED', settled: true });
  expect(await told('cancel', 'gone')).toMatchObject({ cancelled: ['b'] });
  expect(await told('cancel', 'gone')).toMatchObject({ cancelled: [] });
  const refused = await say('retry', 'gone/a');
  expect(refused).toContain('Task a belongs to gone, which was cancelled.');
  expect(refused).toContain('Start a new run with `baton run`.');
  expect((await store.tasks.get(id))?.status).toBe('FAILED');
  expect(await told('explain', 'gone/a')).toMatchObject({ unblock: 'start a new run' });
  expect((await store.runs.get(runId))?.status).toBe('cancelled');
});

it('asks a worker of another machine with the same host name to stop, and counts it as alive', async () => {
  const id = await run('twin', ['a']);
  const elsewhere = `${hostname().replace(/\s+/g, '_')} 00000000-1111-4222-8333-444444444444 4026531836 -`;
  await store.workers.register({
    ...{ id: 'twin', name: 'twin', host: hostname(), pid: 1, pidStarted: 'elsewhere', bootId: elsewhere },
    ...{ capacity: 1, labels: [], version: '1', runId: id },
  });
  expect(await say('status', 'twin')).not.toContain('baton run --resume');
  expect(await told('stop', 'twin')).toMatchObject({ workers: [{ id: 'twin' }] });
  const status = async () => (await store.workers.list()).find((worker) => worker.id === 'twin')?.status;
  expect(await status()).toBe('draining');
});

it('says of work that another command decided first what became of it, with a command that works', async () => {
  const runId = await run('raced', ['a']);
  const { id: taskId } = await store.tasks.find('raced/a');
  await tell('raced/a', { fact: 'blocked', on: { text: 'a key' } });
  const [attempt] = await store.tasks.listAttempts({ runId });
  const approvalId = '01a20000-0000-7000-8000-000000000001';
  await database.sql(
    `INSERT INTO approval (id, run_id, task_id, attempt_id, reason, head_commit, patch_id, nonce, status)
     VALUES ('${approvalId}', '${runId}', '${taskId}', '${attempt?.id}', 'r', 'h', 'p', 'n', 'approved')`,
  );
  const approval = { id: approvalId, taskId, nonce: 'n' } as Approval;
  const call = { env: { user: 'tester' } } as Call;
  const late = decide(call, store, { approval, word: { approve: false, reason: 'no' } });
  const fix = '`baton explain raced/a` says what became of it.';
  await expect(late).rejects.toMatchObject({ code: 'CONFLICT', fix });
  expect(await say('explain', 'raced/a')).toContain('a key');
});
