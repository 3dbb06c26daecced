import { hostname } from 'node:os';
import { plan } from '@baton/contracts';
import type { Fact, Store } from '@baton/task-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBench, type Bench } from './support/bench.ts';
import { runDraftOf } from './support/run-draft.ts';
import { createTestStore } from './support/test-store.ts';

const by = { actor: 'operator:tester', reason: 'test' };

let bench: Bench;
let database: Awaited<ReturnType<typeof createTestStore>>;
let store: Store;
beforeAll(async () => {
  bench = await createBench();
  database = await createTestStore();
  ({ store } = database);
  await run('name-9x', ['changelog']);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** What a command answers in JSON: its result, or its error. */
async function told(
  ...args: string[]
): Promise<Record<string, unknown> & { error?: Record<string, string> }> {
  const { stdout } = await bench.call([...args, '--json'], { env: { DATABASE_URL: database.url } });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Message and fix of a command that is refused with exit code 2. */
async function refused(...args: string[]): Promise<string> {
  const { stderr, exitCode } = await bench.call(args, { env: { DATABASE_URL: database.url } });
  expect(exitCode, stderr).toBe(2);
  return stderr;
}

async function run(slug: string, keys: string[], location = bench.repo.path): Promise<string> {
  const steps = keys.map((key) => ({ key, title: key, max_retries: 0 }));
  const draft = runDraftOf(plan.parse({ name: 'named', stages: [{ name: 'all', steps }] }), slug);
  const repo = { location, host: hostname() };
  const made = await store.runs.create({ ...draft, repo, target: `baton/${slug}` }, by);
  await store.runs.approvePlan(made.run.id, by);
  return made.run.id;
}

const states = async (runId: string) =>
  (await store.tasks.list({ runId })).items.map(({ key, status }) => `${key} ${status}`);

/** Has an agent fail for good at a task. */
async function fail(reference: string): Promise<void> {
  const { id } = await store.tasks.find(reference);
  const capabilities = { host: hostname(), labels: [] };
  const claim = await store.claims.claimTask(id, { workerId: 'w', leaseMs: 60_000, capabilities });
  const attempt = claim?.tasks[0]?.attempt;
  const holding = { attemptId: attempt?.id ?? '', fence: attempt?.fence ?? 0 };
  const fact = { fact: 'setup_failed', reason: 'red', retry: false, counted: true, holding };
  await store.claims.record(fact as unknown as Fact, by);
}

it('cancels the task whose key is typed, also where the name of a run begins like it', async () => {
  const id = await run('docs-7k2f', ['docs', 'api']);
  expect(await told('cancel', 'docs')).toMatchObject({ cancelled: ['docs'] });
  expect(await states(id)).toEqual(['docs CANCELLED', 'api OPEN']);
});

it('cancels no run by the start of its name, and the command that is offered does', async () => {
  const id = await run('tidy-7k2f', ['lint', 'fmt']);
  for (const typed of ['t', 'tidy', 'tidy-7k2']) {
    const said = await refused('cancel', typed);
    expect(said).toContain(`There is no task "${typed}", nor a run of exactly that name.`);
    expect(said).toContain('say `baton cancel tidy-7k2f`');
  }
  expect(await states(id)).toEqual(['lint OPEN', 'fmt OPEN']);
  expect(await told('cancel', 'tidy-7k2f')).toMatchObject({ cancelled: ['lint', 'fmt'] });
});

it('cancels neither where a name is that of a run and of a task, and both by what is offered', async () => {
  const id = await run('both', ['both', 'more']);
  const said = await refused('cancel', 'both');
  expect(said).toContain('"both" is a run and a task.');
  expect(said).toContain(`Name the task as both/both, or the run by its id: \`baton cancel ${id}\`.`);
  expect(await states(id)).toEqual(['both OPEN', 'more OPEN']);
  expect(await told('cancel', 'both/both')).toMatchObject({ cancelled: ['both'] });
  expect(await told('cancel', id)).toMatchObject({ cancelled: ['more'] });
});

it('a key alone is one of this repository, and what only another one has is named with its run', async () => {
  const mine = await run('mine', ['shared']);
  const theirs = await run('theirs', ['shared', 'foreign'], '/srv/other');
  expect(await told('cancel', 'shared')).toMatchObject({ cancelled: ['shared'] });
  expect([await states(mine), await states(theirs)]).toEqual([
    ['shared CANCELLED'],
    ['shared OPEN', 'foreign OPEN'],
  ]);
  for (const verb of ['cancel', 'explain', 'retry', 'approve']) {
    const said = await refused(verb, 'foreign');
    expect(said).toContain('There is no task "foreign".');
    expect(said).toContain('The run theirs of /srv/other has one: name it as theirs/foreign.');
  }
  expect(await told('explain', 'theirs/foreign')).toMatchObject({ key: 'foreign' });
  const { stderr } = await bench.call(['explain', 'shared'], { env: { DATABASE_URL: database.url } });
  expect(stderr).toBe('');
});

it('acts on the one task of a key that it can act on, and on none where there are several', async () => {
  const [first, second] = [await run('older', ['same', 'x']), await run('newer', ['same', 'x'])];
  await fail('older/same');
  expect(await told('retry', 'same')).toMatchObject({ key: 'same', from: 'FAILED', to: 'OPEN' });
  expect([await states(first), await states(second)]).toEqual([
    ['same OPEN', 'x OPEN'],
    ['same OPEN', 'x OPEN'],
  ]);
  const { error } = await told('cancel', 'same');
  expect(error).toMatchObject({ code: 'AMBIGUOUS', fix: 'Name one of them, with its run.' });
  for (const name of ['older/same', 'newer/same']) {
    expect(error?.['message']).toContain(name);
    expect(await told('cancel', name)).toMatchObject({ cancelled: ['same'] });
  }
});

it('refuses to retry what has not failed, in a dry run as well, and names the command that says what moves it', async () => {
  const id = await run('going', ['step']);
  for (const more of [[], ['--dry-run']]) {
    const said = await refused('retry', 'step', ...more);
    expect(said).toContain('Task step of going is OPEN, not FAILED or BLOCKED.');
    expect(said).toContain('`baton explain going/step` says what moves it.');
  }
  expect(await told('explain', 'going/step')).toMatchObject({ status: 'OPEN' });
  await fail('going/step');
  expect(await told('retry', 'step', '--dry-run')).toMatchObject({ dryRun: true, from: 'FAILED' });
  expect(await states(id)).toEqual(['step FAILED']);
  await store.runs.cancel(id, by);
  for (const more of [[], ['--dry-run']])
    expect(await refused('retry', 'going/step', ...more)).toContain(
      'Task step belongs to going, which was cancelled.',
    );
});

it.each([
  ['name/chagnelog', 'Did you mean name-9x/changelog?'],
  ['name/changelog', 'Did you mean name-9x/changelog?'],
  ['nome-9x/changelog', 'Did you mean name-9x/changelog?'],
  ['Name-9X/Changelog', 'Did you mean name-9x/changelog?'],
  ['name–9x/changelog', 'Did you mean name-9x/changelog?'],
  ['“name-9x/changelog”', 'Did you mean name-9x/changelog?'],
  ['name-9x', '`baton tasks name-9x` lists its tasks, each named as name-9x/<task>.'],
  ['name-9', '`baton tasks name-9x` lists its tasks, each named as name-9x/<task>.'],
])('asked about the task %j, it says what was meant', async (typed, fix) => {
  for (const verb of ['explain', 'task', 'retry', 'approve'])
    expect(await refused(verb, typed)).toContain(fix);
  expect(await told('tasks', 'name-9x')).not.toHaveProperty('error');
});

it('asked about a run by the name of a task, it names the run and the command for the task', async () => {
  await run('parts-1', ['wheel']);
  const fix = 'That is a task of the run parts-1: name the run, or see `baton task parts-1/wheel`.';
  for (const words of [['status'], ['pause'], ['resume'], ['budget', '5'], ['run', '--resume'], ['stop']])
    for (const typed of ['wheel', 'parts-1/wheel']) expect(await refused(...words, typed)).toContain(fix);
  expect(await refused('run', '--resume', 'parst-1')).toContain('Did you mean parts-1?');
  expect(await told('task', 'parts-1/wheel')).not.toHaveProperty('error');
});

it('says of a changed budget which command carries the run on, or why it still waits', async () => {
  const id = await run('poor', ['thrifty']);
  await store.runs.setBudget(id, { ...by, capMicroUsd: 0 });
  expect(await told('budget', '0', 'poor')).toMatchObject({
    status: 'waiting',
    next: 'It waits: nothing starts on a budget of $0; raise it with `baton budget <usd> poor`.',
  });
  const { next } = await told('budget', '3', 'poor');
  expect(next).toBe('Carry the run on with `baton run --resume poor`.');
  expect(await told('budget', '4', 'poor', '--dry-run')).toMatchObject({ next: null });
  expect(await told('pause', 'poor')).toMatchObject({ status: 'paused' });
  const { stdout } = await bench.call(['budget', '5', 'poor'], { env: { DATABASE_URL: database.url } });
  expect(stdout).toContain('no process carries it: carry it on with `baton run --resume poor`.');
});
