import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { plan } from '@baton/contracts';
import type { Store } from '@baton/task-store';
import { diffSnapshots } from '@baton/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBench, type Bench } from './support/bench.ts';
import { runDraftOf } from './support/run-draft.ts';
import { createTestStore } from './support/test-store.ts';

const by = { actor: 'operator:tester', reason: 'test' };
/** What nobody wants to find in anything that is printed. */
const secret = ['sk-live', '0123456789abcdefghij'].join('-');
const own = { 'notes.txt': 'my notes\n', '.env': `API_KEY=${secret}\n`, 'build/out.bin': '\0out' };

let bench: Bench;
let database: Awaited<ReturnType<typeof createTestStore>>;
let store: Store;
beforeAll(async () => {
  bench = await createBench({ 'readme.txt': 'hello\n', '.gitignore': '.env\nbuild/\n' });
  await bench.repo.write(own);
  database = await createTestStore();
  ({ store } = database);
});
afterAll(async () => {
  await bench[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** What a verb says with `--json`; no secret is ever printed. */
async function told(...args: string[]): Promise<Record<string, unknown> & { exitCode: number | null }> {
  const env = { DATABASE_URL: database.url, ANTHROPIC_API_KEY: secret };
  const ended = await bench.call([...args, '--json'], { env });
  expect(`${ended.stdout}${ended.stderr}`).not.toContain(secret);
  return { ...(JSON.parse(ended.stdout) as object), exitCode: ended.exitCode };
}

/** Does something that may touch nothing of the repository but what `except` names. */
async function untouched<T>(except: RegExp[], act: () => Promise<T>): Promise<T> {
  const before = await bench.repo.snapshot();
  const result = await act();
  expect(diffSnapshots(before, await bench.repo.snapshot(), { except })).toEqual([]);
  return result;
}
const batonRefs = [/^ref refs\/(heads\/)?baton\//];

async function run(slug: string, keys: string[]): Promise<string> {
  const steps = keys.map((key) => ({ key, title: key }));
  const draft = runDraftOf(plan.parse({ name: 'verbs', stages: [{ name: 'all', steps }] }), slug);
  const repo = { location: bench.repo.path, host: 'here' };
  const baseCommit = await bench.repo.git('rev-parse', 'main');
  const made = await store.runs.create({ ...draft, repo, baseCommit, target: `baton/${slug}` }, by);
  await store.runs.approvePlan(made.run.id, by);
  await bench.repo.git('branch', `baton/${slug}`, 'main');
  return made.run.id;
}

const states = async (runId: string) =>
  (await store.tasks.list({ runId })).items.map(
    ({ key, status, cancelRequested }) => `${key} ${status} ${cancelRequested}`,
  );

it('does not carry on a run whose repository is on another host, names that host, and the cancel that ends it where that was this one', () =>
  untouched(batonRefs, async () => {
    const id = await run('elsewhere', ['a', 'b']);
    const { items: tasks } = await store.tasks.list({ runId: id });
    await store.claims.claimTask(tasks[0]?.id ?? '', {
      ...{ workerId: 'gone', leaseMs: 60_000, capabilities: { host: 'here', labels: [] } },
    });
    const env = { DATABASE_URL: database.url };
    const ended = await bench.call(['run', '--resume', 'elsewhere'], { env });
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain(
      `The repository of elsewhere is ${bench.repo.path} on host here; this is host`,
    );
    expect(ended.stderr).toContain('Run `baton run --resume elsewhere` on host here.');
    expect(ended.stderr).toContain(
      'If this machine had that name before, end the run with `baton cancel elsewhere` and run its plan again.',
    );
    await told('cancel', 'elsewhere');
    expect((await store.runs.get(id))?.status).toBe('cancelled');
    const again = await bench.call(['run', '--resume', 'elsewhere'], { env });
    expect(again.stderr).toContain('The run elsewhere is cancelled: nothing is left to carry out.');
  }));

it('cancels the one task or run that is named, and in a dry run nothing', () =>
  untouched(batonRefs, async () => {
    const [one, two] = [await run('one', ['a', 'b', 'c']), await run('one-more', ['a', 'b'])];
    const before = [await states(one), await states(two)];
    expect(await told('cancel', 'one', '--dry-run')).toEqual({
      exitCode: 0,
      dryRun: true,
      cancelled: ['a', 'b', 'c'],
    });
    expect(await told('cancel', 'one/b', '--dry-run')).toMatchObject({ cancelled: ['b'] });
    expect([await states(one), await states(two)]).toEqual(before);
    expect(await told('cancel', 'one/b')).toEqual({ exitCode: 0, dryRun: false, cancelled: ['b'] });
    expect(await states(one)).toEqual(['a OPEN false', 'b CANCELLED true', 'c OPEN false']);
    expect(await told('cancel', 'one', '--dry-run')).toMatchObject({ cancelled: ['a', 'c'] });
    expect(await told('cancel', 'one')).toMatchObject({ cancelled: ['a', 'c'] });
    expect(await told('cancel', 'one')).toMatchObject({ cancelled: [] });
    expect(await states(two)).toEqual(before[1]);
    expect(await told('cancel', 'a')).toMatchObject({ cancelled: ['a'] });
    expect(await states(two)).toEqual(['a CANCELLED true', 'b OPEN false']);
  }));

it('pauses, resumes, gives money to and retries only what is named, and in a dry run nothing', () =>
  untouched(batonRefs, async () => {
    const [first, second] = [await run('first', ['a', 'b']), await run('second', ['x'])];
    const status = async () => [
      (await store.runs.get(first))?.status,
      (await store.runs.get(second))?.status,
    ];
    const caps = async () => [
      (await store.runs.get(first))?.budgetMicroUsd,
      (await store.runs.get(second))?.budgetMicroUsd,
    ];
    for (const dry of [true, false]) {
      const flags = dry ? ['--dry-run'] : [];
      expect(await told('pause', 'first', ...flags)).toMatchObject({
        exitCode: 0,
        dryRun: dry,
        runId: first,
      });
      expect(await status()).toEqual([dry ? 'running' : 'paused', 'running']);
      await told('budget', '7', 'first', ...flags);
      expect(await caps()).toEqual([dry ? null : 7_000_000, null]);
    }
    await told('resume', 'first', '--dry-run');
    expect(await status()).toEqual(['paused', 'running']);
    expect(await told('resume')).toMatchObject({ runId: second });
    expect(await status()).toEqual(['paused', 'running']);
    expect(await told('resume', 'first')).toMatchObject({
      held: null,
      next: 'Carry the run on with `baton run --resume first # on host here`.',
    });
    expect(await status()).toEqual(['running', 'running']);
    await store.runs.pause(first, { ...by, reason: 'BASE_RED: gate tests: red' });
    expect(await told('resume', 'first')).toMatchObject({
      held: { code: 'BASE_RED', text: 'gate tests: red' },
      next: expect.stringContaining('`baton run --resume first # on host here`') as string,
    });
    const failed = await store.tasks.find('first/b');
    await store.runs.pause(second, by);
    const claim = await store.claims.claimTask(failed.id, {
      ...{ workerId: 'w', leaseMs: 60_000, capabilities: { host: 'here', labels: [] } },
    });
    const attempt = claim?.tasks[0]?.attempt;
    const holding = { attemptId: attempt?.id ?? '', fence: attempt?.fence ?? 0 };
    await store.claims.record(
      { fact: 'blocked', holding, on: { text: 'needs a key' }, reason: 'needs a key' },
      by,
    );
    expect(await told('retry', 'first/b', '--dry-run')).toMatchObject({ dryRun: true, from: 'BLOCKED' });
    expect((await store.tasks.get(failed.id))?.status).toBe('BLOCKED');
    expect(await told('retry', 'first/b')).toMatchObject({ from: 'BLOCKED', to: 'OPEN' });
    for (const id of [first, second]) await store.runs.cancel(id, by);
  }));

it('cleans what is over, beside runs that are paused, wait or run, and in a dry run nothing', async () => {
  const [over, paused, going] = [
    await run('over', ['a']),
    await run('paused', ['a']),
    await run('going', ['a']),
  ];
  await store.runs.cancel(over, by);
  await store.runs.pause(paused, by);
  const removed = (result: Record<string, unknown>) =>
    (result['removed'] as { ref: string }[])
      .map(({ ref }) => ref)
      .filter((ref) => /\/(over|paused|going)$/.test(ref));
  expect(removed(await untouched([], () => told('clean', '--dry-run')))).toEqual(['refs/heads/baton/over']);
  expect(removed(await untouched(batonRefs, () => told('clean')))).toEqual(['refs/heads/baton/over']);
  const left = await bench.repo.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/baton');
  expect(left.split('\n')).toEqual(expect.arrayContaining(['baton/going', 'baton/paused']));
  expect(left).not.toContain('baton/over');
  for (const id of [paused, going]) await store.runs.cancel(id, by);
});

it('a run of which nothing landed cannot be merged, whether its branch is there or not', () =>
  untouched(batonRefs, async () => {
    const runId = await run('empty', ['a']);
    expect(await told('merge', 'empty')).toMatchObject({ kind: 'nothing_landed', into: 'main', exitCode: 1 });
    await bench.repo.git('branch', '--quiet', '-D', 'baton/empty');
    expect(await told('merge', 'empty')).toMatchObject({ kind: 'nothing_landed', exitCode: 1 });
    const { stdout } = await bench.call(['merge', 'empty'], { env: { DATABASE_URL: database.url } });
    expect(stdout).toMatch(/^Nothing of empty has landed yet, .* see `baton status empty`\.$/m);
    expect(await told('status', 'empty')).toMatchObject({ exitCode: 0 });
    await store.runs.cancel(runId, by);
  }));

it('says what merging and archiving would do, and does nothing', async () => {
  const runId = await run('merged', ['a']);
  await bench.repo.git('checkout', '--quiet', 'baton/merged');
  await writeFile(path.join(bench.repo.path, 'landed.txt'), 'landed\n');
  await bench.repo.git('add', 'landed.txt');
  await bench.repo.git('commit', '--quiet', '-m', 'landed');
  await bench.repo.git('checkout', '--quiet', 'main');
  expect(await untouched([], () => told('merge', 'merged', '--dry-run'))).toMatchObject({
    kind: 'would_fast_forward',
    target: 'baton/merged',
    into: 'main',
  });
  await store.runs.cancel(runId, by);
  const events = async () => (await store.audit.verify()).events;
  const before = await events();
  const archive = path.join(bench.home, 'archive');
  expect(await told('archive', '--older-than', '0d', '--archive', archive, '--dry-run')).toMatchObject({
    dryRun: true,
    files: [],
  });
  expect(await events()).toBe(before);
});

it('prints one JSON value and nothing else for every verb that only looks, of the run that is named', () =>
  untouched(batonRefs, async () => {
    const [named, newest] = [await run('named', ['n']), await run('newest', ['m'])];
    const task = await store.tasks.find('n', { runId: named });
    for (const args of [
      ['runs'],
      ['tasks'],
      ['task', 'named/n'],
      ['explain', 'named/n'],
      ['status'],
      ['cost'],
      ['workers'],
      ['approve'],
      ['rescue'],
      ['graph'],
      ['plugins', 'list'],
      ['keys', 'list'],
      ['trust'],
      ['gates'],
      ['agents'],
      ['verify-audit'],
    ]) {
      const result = await told(...args);
      expect([args, result['error']]).toEqual([args, undefined]);
    }
    expect(await told('status', 'named')).toMatchObject({ run: { id: named } });
    expect(await told('status')).toMatchObject({ run: { id: newest } });
    expect(await told('tasks', 'named')).toMatchObject({ tasks: [{ id: task.id }] });
    expect(await told('explain', task.id)).toMatchObject({ status: 'OPEN' });
    const slip = `${task.key}x`;
    const wrong = [
      ['task', slip, `Did you mean ${task.key}?`],
      ['explain', `named/${slip}`, `Did you mean named/${task.key}?`],
      ['retry', slip, `Did you mean ${task.key}?`],
      ['logs', slip, `Did you mean ${task.key}?`],
      ['rescue', slip, `Did you mean ${task.key}?`],
      ['approve', slip, `Did you mean ${task.key}?`],
      ['status', 'namd', 'Did you mean named?'],
      ['status', 'nope', '`baton runs` lists what there is'],
    ] as const;
    for (const [verb, name, fix] of wrong)
      expect(await told(verb, name)).toMatchObject({
        exitCode: 2,
        error: { fix: expect.stringContaining(fix) },
      });
    expect(await told('tasks', 'named', '--status', 'open')).toMatchObject({ tasks: [{ id: task.id }] });
    expect(await told('tasks', 'named', '--status', 'landed')).toMatchObject({ tasks: [] });
    expect(await told('tasks', '--status', 'lnded')).toMatchObject({
      exitCode: 2,
      error: { message: expect.stringContaining('Did you mean "landed"?') },
    });
    const runs = (await told('runs', '--limit', '1'))['runs'] as { id: string }[];
    expect(runs.map(({ id }) => id)).toEqual([newest]);
    for (const id of [named, newest]) await store.runs.cancel(id, by);
  }));
