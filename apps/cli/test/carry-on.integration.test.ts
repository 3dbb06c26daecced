import { hostname } from 'node:os';

import { draftTask, newTask, plan, shellWord } from '@baton/contracts';
import { ownSpace } from '@baton/spawner/processes';
import type { Store } from '@baton/task-store';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { createBench, type Bench } from './support/bench.ts';
import { runDraftOf } from './support/run-draft.ts';
import { createTestStore } from './support/test-store.ts';

const by = { actor: 'operator:tester', reason: 'test' };

let here: Bench;
let other: Bench;
let database: Awaited<ReturnType<typeof createTestStore>>;
let store: Store;
beforeAll(async () => {
  [here, other] = await Promise.all([createBench(), createBench()]);
  database = await createTestStore();
  ({ store } = database);
});
afterAll(async () => {
  await Promise.all([here, other].map((bench) => bench[Symbol.asyncDispose]()));
  await database[Symbol.asyncDispose]();
});

const env = () => ({ DATABASE_URL: database.url });

async function run(slug: string, repo: { location: string; host: string | null }): Promise<string> {
  const stages = [{ name: 'all', steps: [{ key: 'a', title: 'a' }] }];
  const draft = runDraftOf(plan.parse({ name: 'carried', stages }), slug);
  const made = await store.runs.create({ ...draft, repo, target: 'main' }, by);
  await store.runs.approvePlan(made.run.id, by);
  return made.run.id;
}

/** Delivers an event to a rule; returns the id of its task. */
async function deliver(rule: string): Promise<string> {
  const event = { source: 'webhook', deliveryId: rule, kind: 'any', receivedAt: '2026-01-01T00:00:00Z' };
  const task = newTask.parse({ key: 'w', title: 'w' });
  const draft = draftTask(task, { kind: 'trigger', by: rule, trusted: true });
  const { taskIds } = await store.inbox.accept({
    event: { ...event, sender: null, trusted: true, data: {} },
    matches: [
      {
        ...{ rule, target: `baton/trigger-${rule}`, baseCommit: null, planned: false, draft },
        repo: { location: here.repo.path, host: hostname() },
      },
    ],
  });
  return taskIds[0] ?? '';
}

it('carries on the newest run that can end, not the standing run of a rule; one that is named ends once nothing of it is open', async () => {
  const id = await run('planned', { location: here.repo.path, host: hostname() });
  const task = await deliver('nightly');
  const dry = await here.call(['run', '--resume', '--dry-run'], { env: env() });
  expect(dry.stdout).toBe('Would carry planned on.\n');
  await store.tasks.cancel(task, by);
  const idle = await here.baton(['run', '--resume', 'trigger-nightly'], { env: env() });
  expect(idle.exitCode, idle.stderr).toBe(0);
  expect(idle.stdout).toContain('trigger-nightly has nothing left to do');
  await store.runs.cancel(id, by);
  const none = await here.call(['run', '--resume'], { env: env() });
  expect(none.stderr).toContain('No run of this repository is unfinished.');
});

it('a run of another repository is refused, with its base as it was, and the command that is named carries it on', async () => {
  const id = await run('afar', { location: here.repo.path, host: hostname() });
  await store.runs.pause(id, { ...by, reason: 'SETUP_FAILED: it fails.' });
  const before = await store.runs.get(id);
  const refused = await other.call(['run', '--resume', 'afar'], { env: env() });
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(
    `error CONFLICT: The repository of afar is ${here.repo.path}, and this is ${other.repo.path}.`,
  );
  const offered = `baton run --resume afar --repo ${shellWord(here.repo.path)}`;
  expect(refused.stderr).toContain(`\`${offered}\``);
  expect(await store.runs.get(id)).toEqual(before);
  const carried = await other.call([...offered.split(' ').slice(1), '--dry-run'], { env: env() });
  expect(carried.stdout).toBe('Would carry afar on.\n');
  const resumed = await other.call(['resume', 'afar'], { env: env() });
  expect(resumed.stdout).toContain(`\`${offered}\``);
  await store.runs.cancel(id, by);
});

it('one whose repository is a URL is carried on by `baton up`', async () => {
  const id = await run('remote', { location: 'https://git.example/it.git', host: null });
  const refused = await here.call(['run', '--resume', 'remote'], { env: env() });
  expect(refused.stderr).toContain('`baton up`');
  await store.runs.pause(id, by);
  const paused = await here.call(['run', '--resume', 'remote'], { env: env() });
  expect(paused.stderr).toContain('`baton resume remote && baton up`');
});

it('what is offered to somebody who named the repository works where it was typed', async () => {
  const id = await run('named', { location: here.repo.path, host: hostname() });
  const at = ['--repo', here.repo.path];
  await store.workers.register({
    ...{ id: 'gone', name: 'gone', host: hostname(), pid: 2 ** 22 + 7, pidStarted: '1', bootId: ownSpace() },
    ...{ capacity: 1, version: '0', labels: [], runId: id },
  });
  const carry = `baton run --resume named --repo ${shellWord(here.repo.path)}`;
  const status = await other.call(['status', 'named', ...at], { env: env() });
  expect(status.stdout).toContain(`Carry it on with \`${carry}\`.`);
  const told = await other.call(['explain', 'named/a', '--json', ...at], { env: env() });
  expect(JSON.parse(told.stdout)).toMatchObject({ cause: 'not_carried', unblock: carry });
  const wrong = await other.call(['status', 'nope', '--json', ...at], { env: env() });
  expect(JSON.parse(wrong.stdout)).toMatchObject({
    error: { fix: expect.stringContaining(`\`baton runs --repo ${shellWord(here.repo.path)}\``) as string },
  });
  // With a store that is shared, no repository need be named; what carries the run on names it.
  const nowhere = await other.call(['status', 'named'], { env: env(), cwd: other.home });
  expect(nowhere.stdout).toContain(`Carry it on with \`${carry}\`.`);
  await store.runs.cancel(id, by);
});

it('refuses what only a new run takes, a cap above all, and names the commands that set one', async () => {
  const id = await run('begun', { location: here.repo.path, host: hostname() });
  const carry = (...more: string[]) => here.call(['run', '--resume', 'begun', ...more], { env: env() });
  for (const more of [
    ['--max-cost', '1'],
    ['--agent', 'codex', '--model', 'x', '--effort', 'low'],
    ['--max-retries', '0'],
    ['--target', 'main', '--dry-run'],
    ['--no-pull-requests'],
    ['--review'],
    ['plan.yaml'],
  ]) {
    const refused = await carry(...more);
    expect(refused, more.join(' ')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('cannot be given with --resume: begun keeps what it began with.');
  }
  const capped = await carry('--budget', '0.000001', '--review');
  expect(capped).toMatchObject({ exitCode: 2, stdout: '' });
  const [, offered = '', carried] = /`([^`]+)`.*`([^`]+)`\. Leave --review out\./.exec(capped.stderr) ?? [];
  expect(carried).toBe('baton run --resume begun');
  expect((await store.runs.get(id))?.budgetMicroUsd).toBeNull();
  expect((await here.call(offered.split(' ').slice(1), { env: env() })).exitCode).toBe(0);
  expect((await store.runs.get(id))?.budgetMicroUsd).toBe(1);
  expect((await carry('--yes', '--capacity', '1', '--dry-run')).exitCode).toBe(0);
  await store.runs.cancel(id, by);
});
