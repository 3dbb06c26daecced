import { once } from 'node:events';
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { BatonError } from '@baton/contracts';
import { ownSpace, processStart } from '@baton/spawner';
import { until } from '@baton/testkit';
import type { Fact, Lane, Run } from '@baton/task-store';
import { expect, it } from 'vitest';
import { createRig, scripted, type Rig } from '../helpers/rig.ts';
import { withLanes } from '../helpers/trains.ts';

/** A process of this host that is known to be gone: its number has been given to another since. */
const dead = { pid: 1, pidStarted: 'another boot' };
const actor = 'worker:dead';
const writesA = scripted({ steps: [{ write: { 'a.txt': 'a\n' } }] });
const labels = ['of-the-dead'];
const plan = (name: string, agent: ReturnType<typeof scripted> = writesA, more: object = {}) => ({
  ...{ name, ...more },
  stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent, max_retries: 0 }] }],
});
const labelled = (name: string) => ({
  name,
  stages: [{ name: 'all', steps: [{ key: 'job', title: 'job', agent: writesA, labels }] }],
});

/** A worker that has died carried the run's only task as far as the last landing: its refs have moved. */
async function landAsDead(rig: Rig, run: Run, is = dead): Promise<{ landingId: string; ref: string }> {
  const { store } = rig;
  const place = {
    id: 'dead',
    name: 'dead',
    host: hostname(),
    bootId: ownSpace(),
    version: '0.0.0',
    runId: null,
  };
  await store.workers.register({ ...place, ...is, capacity: 1, labels: [] });
  const base = await rig.repo.git('rev-parse', 'HEAD');
  const landed = await commitOn(rig, base);
  const lane = await laneOf(rig, run);
  const attemptId = await finishedWork(rig, { run, base, head: landed });
  const verdict = { passed: true, checks: 'gates' as const, results: [], reasons: [], durationMs: 1 };
  const taken = await store.lanes.takeForLanding(lane, { runId: run.id });
  const holding = { attemptId, fence: taken?.attempt.fence ?? expect.fail('nothing to land') };
  const tree = await rig.repo.git('rev-parse', `${landed}^{tree}`);
  const verdictId = await store.lanes.saveVerdict({
    holding,
    checksHash: 'h',
    verdict: { ...verdict, tree },
  });
  const landings = await store.lanes.writeIntents({
    ...{ lane, members: [{ holding, verdictId, candidateCommit: landed }], tree, fromCommit: base },
    holder: { workerId: 'dead', host: hostname(), ...is, lockFiles: [] },
  });
  const ref = `refs/baton/landing/${attemptId}`;
  await rig.repo.git('update-ref', ref, landed);
  await rig.repo.git('update-ref', `refs/heads/${run.target}`, landed);
  return { landingId: landings?.[0] ?? expect.fail('the intent was refused'), ref };
}

/** A commit that no branch leads to. */
const commitOn = (rig: Rig, base: string, message = 'work of the dead'): Promise<string> =>
  rig.repo.git('commit-tree', `${base}^{tree}`, '-p', base, '-m', message);

async function finishedWork(
  { store }: Rig,
  { run, base, head }: { run: Run; base: string; head: string },
): Promise<string> {
  const capabilities = { host: hostname(), labels };
  const request = { workerId: 'dead', runId: run.id, maxTasks: 1, leaseMs: 120_000, capabilities };
  const claim = (await store.claims.claimBatch(request)) ?? expect.fail('nothing to claim');
  const { id: attemptId, fence } = claim.tasks[0]?.attempt ?? expect.fail('an empty claim');
  const holding = { attemptId, fence };
  const commits = { baseCommit: base, startCommit: base };
  const launched = { adapter: 'command', model: null, workspace: '/w', deadlineAt: null, route: {} };
  const facts: Fact[] = [
    { fact: 'launched', holdings: [holding], ...launched, ...dead },
    { fact: 'ready', holding, ...commits },
    { fact: 'done', holding, ...commits, headCommit: head, summary: 'did it' },
    { fact: 'batch_over', sessionId: claim.sessionId, exitCode: 0 },
  ];
  for (const fact of facts) expect(await store.claims.record(fact, { actor })).toMatchObject({ ok: true });
  return attemptId;
}

/** Its lease ends soon: nobody is there to renew it. */
async function laneOf({ store }: Rig, { repoId, target }: Run): Promise<Lane> {
  const lane = await store.lanes.acquire({ repoId, target, workerId: 'dead', leaseMs: 3_000 });
  return lane ?? expect.fail('the lane is taken');
}

const landingRefs = async (rig: Rig): Promise<string[]> =>
  (await rig.repo.git('for-each-ref', '--format=%(refname)', 'refs/baton/landing'))
    .split('\n')
    .filter(Boolean);

/** Whoever decides a landing removes its ref right after; upkeep beside it may settle the run in between. */
async function refsGone(rig: Rig): Promise<void> {
  await until(async () => (await landingRefs(rig)).length === 0, {
    what: 'the refs of its landings are gone',
  });
}

it('settles a run whose last landing a killed worker made but never confirmed', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(plan('intended'));
  await landAsDead(rig, run);
  await rig.store.workers.setStatus('dead', 'offline', { actor, reason: 'somebody has seen to it already' });
  expect((await rig.store.runs.get(run.id))?.status).toBe('running');
  // Upkeep would find it later, too: what has settled the intent settles the run at once.
  await rig.worker({ timing: { sweepMs: 600_000 } });
  await rig.settled(run.id);
  expect((await rig.tasks(run.id)).get('job')).toMatchObject({ status: 'CLOSED' });
  expect(await rig.store.tasks.attempts((await rig.tasks(run.id)).get('job')?.id ?? '')).toHaveLength(1);
  await refsGone(rig);
});

it('frees a lane from work that landed and was given up and refused by another holder, and says so', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(plan('refused'));
  const refused = await landAsDead(rig, run);
  const task = (await rig.tasks(run.id)).get('job') ?? expect.fail('no task');
  const [attempt] = await rig.store.tasks.attempts(task.id);
  const holding = { attemptId: attempt?.id ?? '', fence: attempt?.fence ?? 0 };
  const store = withLanes(rig.store, {
    async confirm(landingId, by) {
      if (landingId === refused.landingId) {
        await rig.store.lanes.abandon(landingId, 'it is not on the target, says one who saw another remote');
        await rig.store.claims.record(
          { fact: 'rejected', holding, kind: 'rejected', reasons: ['x'] },
          { actor },
        );
      }
      return rig.store.lanes.confirm(landingId, by);
    },
  });
  const next = await rig.submit({ ...plan('next'), target: run.target });
  const errors: unknown[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (...said: unknown[]) => errors.push(said),
  };
  await rig.worker({ log, store });
  await rig.settled(next.run.id);
  expect(JSON.stringify(errors)).toContain('a commit is on its target although its task has ended otherwise');
});

it('confirms what landed at the next look when it was refused once', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(plan('refused-once'));
  await landAsDead(rig, run);
  let refused = 0;
  const store = withLanes(rig.store, {
    async confirm(...given) {
      if ((refused += 1) === 1) throw new BatonError('CONFLICT', 'too much at once', { fix: 'Again.' });
      return rig.store.lanes.confirm(...given);
    },
  });
  await rig.worker({ store });
  await rig.settled(run.id);
  expect((await rig.tasks(run.id)).get('job')).toMatchObject({ status: 'CLOSED' });
});

it('settles a run whose worker was killed after it confirmed the last landing, and removes the refs that it left', async () => {
  await using rig = await createRig();
  const { run } = await rig.submit(plan('confirmed'));
  const { landingId, ref } = await landAsDead(rig, run);
  await rig.store.lanes.confirm(landingId, { actor });
  const other = 'refs/baton/landing/not-landed';
  await rig.repo.git(
    'update-ref',
    other,
    await commitOn(rig, await rig.repo.git('rev-parse', 'HEAD'), 'other'),
  );
  expect((await rig.store.runs.get(run.id))?.status).toBe('running');
  expect((await landingRefs(rig)).toSorted()).toEqual([ref, other].toSorted());
  await rig.worker();
  await rig.settled(run.id);
  expect(await landingRefs(rig), 'what has not landed stays').toEqual([other]);
});

it('removes what a worker left that dies beside it, before it settles the run', async () => {
  await using rig = await createRig();
  const first = await rig.submit(plan('before'));
  await rig.worker();
  await rig.settled(first.run.id);
  const { run } = await rig.submit(labelled('beside'));
  const other = spawn('sleep', ['60']);
  const pid = other.pid ?? expect.fail('not started');
  const pidStarted = processStart(pid) ?? expect.fail('not living');
  const { landingId } = await landAsDead(rig, run, { pid, pidStarted });
  // It is dead by the time that anybody hears of what it confirmed, and so before the run can be settled.
  other.kill('SIGKILL');
  await once(other, 'exit');
  await rig.store.lanes.confirm(landingId, { actor });
  await rig.settled(run.id);
  expect(await landingRefs(rig), 'nobody looks for it once the run has ended').toEqual([]);
});

it(
  'removes the refs of its landings before it settles a run that it landed, however long git takes for that',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig();
    const bin = path.join(rig.stateDir, 'bin');
    await mkdir(bin, { recursive: true });
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const slow = `#!/bin/sh\ncase " $* " in *" update-ref --stdin "*) sleep 1;; esac\nexec '${real}' "$@"\n`;
    await writeFile(path.join(bin, 'git'), slow, { mode: 0o755 });
    const { run } = await rig.submit(plan('slow'));
    const operatorEnv = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    await rig.worker({ operatorEnv, timing: { sweepMs: 600_000 } }); // upkeep, which looks at every run, may be faster
    await rig.settled(run.id);
    expect(await landingRefs(rig)).toEqual([]);
  },
);

it('removes the ref of a landing that lost its database, when the same work is rejected at its next go', async () => {
  await using rig = await createRig();
  const told = path.join(rig.stateDir, 'told');
  const agent = scripted({ steps: [{ write: { 'bad.txt': 'bad\n' } }, { waitFor: told }] });
  const gates = [{ name: 'good', command: ['test', '!', '-e', 'bad.txt'] }];
  const { run } = await rig.submit(plan('lost', agent, { gates }));
  await rig.worker();
  const attempt = await until(async () => (await rig.store.tasks.listAttempts({ runId: run.id }))[0], {
    what: 'the agent is at work',
    timeoutMs: 30_000,
  });
  const left = `refs/baton/landing/${attempt.id}`;
  await rig.repo.git('update-ref', left, await commitOn(rig, await rig.repo.git('rev-parse', 'HEAD')));
  await writeFile(told, '');
  await rig.settled(run.id, ['failed']);
  expect((await rig.store.tasks.attempts(attempt.taskId))[0]?.outcome).toBe('rejected');
  await refsGone(rig);
});

it('removes refs of landings that came to nothing with a process that died, before it settles their run', async () => {
  await using rig = await createRig();
  const gates = [{ name: 'good', command: ['test', '!', '-e', 'a.txt'] }];
  const { run } = await rig.submit(plan('refused', writesA, { gates }));
  const first = await rig.worker();
  await rig.settled(run.id, ['failed']);
  await first.stop();
  const [attempt] = await rig.store.tasks.listAttempts({ runId: run.id });
  const left = `refs/baton/landing/${attempt?.id ?? ''}`;
  const foreign = 'refs/baton/landing/of-another-store';
  const side = await commitOn(rig, await rig.repo.git('rev-parse', 'HEAD'), 'side');
  for (const ref of [left, foreign]) await rig.repo.git('update-ref', ref, side);
  await rig.worker();
  await until(async () => !(await landingRefs(rig)).includes(left), {
    what: 'it is removed at the first look',
  });
  expect(await landingRefs(rig)).toEqual([foreign]);
});

it('frees worktrees and ports of dead processes when it opens their pools, and none of the living', async () => {
  await using rig = await createRig();
  const first = await rig.submit(plan('first', writesA, { gates: [{ name: 'any', command: ['true'] }] }));
  const worker = await rig.worker();
  await rig.settled(first.run.id);
  await worker.stop();
  const all = await readdir(rig.stateDir, { recursive: true });
  const pools = all.filter((name) => path.basename(name) === 'w1').map((name) => path.dirname(name));
  expect(pools.map((pool) => path.basename(pool)).toSorted()).toEqual(['agent', 'slots']);
  const ports = all.find((name) => path.basename(name) === 'ports') ?? expect.fail('no ports were leased');
  const locks = (number: number) => [
    ...pools.map((pool) => path.join(rig.stateDir, pool, `w${number}`, 'lock')),
    path.join(rig.stateDir, ports, String(61_000 + number)),
  ];
  const living = { pid: process.pid, pidStarted: processStart(process.pid) ?? expect.fail('not living') };
  await hold(locks(8), dead);
  await hold(locks(9), living);
  const second = await rig.submit(plan('second', writesA, { gates: [{ name: 'any', command: ['true'] }] }));
  await rig.worker();
  await rig.settled(second.run.id);
  for (const lock of locks(8)) expect(await holderOf(lock), lock).toBe('0\n');
  for (const lock of locks(9)) expect(await holderOf(lock), lock).toBe(held(living));
});

const held = (holder: typeof dead): string => `${holder.pid}\n${holder.pidStarted}\n`;

async function hold(locks: string[], holder: typeof dead): Promise<void> {
  for (const lock of locks) {
    await mkdir(path.join(lock, '3'), { recursive: true });
    await writeFile(path.join(lock, '3', 'holder'), held(holder));
  }
}

/** Its newest generation counts. */
async function holderOf(lock: string): Promise<string> {
  const newest = Math.max(...(await readdir(lock)).map(Number));
  return readFile(path.join(lock, String(newest), 'holder'), 'utf8');
}
