import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inParts, until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';
import { green, landsLater, redLast, statuses, withLanes, writing } from '../helpers/trains.ts';

const idleProcessors = () => 1;

/** A gate that takes its time, says how many of it run now, and is red where a file says so. One that was ended says nothing of its end. */
const slow = (rig: Rig, seconds = 0.7) => {
  const [pids, atOnce] = ['pids', 'at-once'].map((name) => path.join(rig.stateDir, name));
  const script = `echo $$ >> '${pids}'
n=0; for pid in $(cat '${pids}'); do if kill -0 $pid 2>/dev/null; then n=$((n + 1)); fi; done; echo $n >> '${atOnce}'
sleep ${seconds}; ! grep -q red *.txt`;
  return { gates: [{ name: 'tests', command: ['sh', '-c', script] }] };
};

/** How often that gate was asked, and how many of it ran at the same time at most. */
async function asked(rig: Rig): Promise<{ runs: number; atOnce: number }> {
  const lines = (await readFile(path.join(rig.stateDir, 'at-once'), 'utf8')).trim().split('\n');
  return { runs: lines.length, atOnce: Math.max(...lines.map(Number)) };
}

/** Every tree that the target had passed; the base passed by itself. */
async function wasNeverUnproven(rig: Rig, run: { id: string; target: string }): Promise<void> {
  const heads = (await rig.repo.git('reflog', 'show', '--format=%H', run.target)).split('\n').slice(0, -1);
  const passed = new Set<string>();
  for (const { id } of (await rig.tasks(run.id)).values())
    for (const verdict of await rig.store.tasks.verdicts(id)) if (verdict.passed) passed.add(verdict.tree);
  for (const head of heads) expect(passed).toContain(await rig.repo.git('rev-parse', `${head}^{tree}`));
}

for (const [cases, tagged] of inParts(1, [
  ['the next task', 17],
  ['the next train', 18],
]))
  it.each(cases)(
    'verifies %s beside the train that lands, and asks no gate twice about it',
    tagged,
    async (_, count) => {
      await using rig = await createRig({ 'readme.txt': 'hello\n' });
      const { run } = await rig.submit(writing(green(count), { ...slow(rig), verify_ahead: true }));
      await landsLater(rig, { runId: run.id, done: count, capacity: 12, idleProcessors });
      await rig.settled(run.id);
      expect(await asked(rig), 'the base, 16, and the others beside them').toEqual({ runs: 3, atOnce: 2 });
      await wasNeverUnproven(rig, run);
    },
  );

it(
  'finds the red one with halves that are verified beside each other, and refuses no other',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'readme.txt': 'hello\n' });
    const works = { ...green(7), culprit: 'red' };
    const { run } = await rig.submit(writing(works, { ...slow(rig, 0.4), verify_ahead: true }));
    await landsLater(rig, { runId: run.id, done: 8, idleProcessors });
    await rig.settled(run.id, ['failed']);
    expect(await statuses(rig, run.id)).toEqual({
      ...Object.fromEntries(Object.keys(green(7)).map((key) => [key, 'CLOSED'])),
      culprit: 'FAILED',
    });
    expect((await asked(rig)).atOnce).toBe(2);
    await wasNeverUnproven(rig, run);
  },
);

it('asks the target beside the work that is left over as the red one', { tags: ['long'] }, async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { works, step } = redLast;
  const { run } = await rig.submit(writing(works, { ...slow(rig), verify_ahead: true, step }));
  await landsLater(rig, { runId: run.id, done: 2, idleProcessors });
  await rig.settled(run.id, ['failed']);
  expect(await statuses(rig, run.id)).toEqual({ t0: 'CLOSED', culprit: 'FAILED' });
  expect(await asked(rig), 'base, both, each alone, the target').toEqual({ runs: 5, atOnce: 2 });
});

/** A person commits to a branch that is checked out nowhere. */
async function byHand(rig: Rig, target: string): Promise<void> {
  const folder = path.join(rig.stateDir, 'by-hand');
  await rig.repo.git('worktree', 'add', '--quiet', folder, target);
  await writeFile(path.join(folder, 'by-hand.txt'), 'green\n');
  await rig.repo.git('-C', folder, 'add', '.');
  await rig.repo.git('-C', folder, 'commit', '--quiet', '-m', 'by hand');
  await rig.repo.git('worktree', 'remove', folder);
}

it(
  'verifies again on the new head when somebody moved the target before the turn of the next train',
  { tags: ['long'] },
  async () => {
    await using rig = await createRig({ 'readme.txt': 'hello\n' });
    const { run } = await rig.submit(writing(green(18), { ...slow(rig), verify_ahead: true }));
    let confirmed = 0;
    const store = withLanes(rig.store, {
      async confirm(...given) {
        confirmed += 1;
        if (confirmed === 16) await byHand(rig, run.target);
        return rig.store.lanes.confirm(...given);
      },
    });
    await landsLater(rig, { runId: run.id, done: 18, capacity: 12, idleProcessors }, store);
    await rig.settled(run.id);
    expect((await asked(rig)).runs, 'the base, 16, 2 in vain, 2 on the new head').toBe(4);
    expect(await rig.repo.git('ls-tree', '--name-only', run.target)).toContain('by-hand.txt');
    const last = (await rig.store.tasks.landings({ runId: run.id })).at(-1);
    const [verdict] = await rig.store.tasks.verdicts(last?.taskId ?? '');
    expect(verdict?.tree).toBe(await rig.repo.git('rev-parse', `${run.target}^{tree}`));
  },
);

it('ends what is verified ahead when the worker stops', { tags: ['long'] }, async () => {
  await using rig = await createRig({ 'readme.txt': 'hello\n' });
  const { run } = await rig.submit(writing(green(18), { ...slow(rig, 2), verify_ahead: true }));
  const worker = await landsLater(rig, { runId: run.id, done: 18, capacity: 12, idleProcessors });
  await until(async () => ((await asked(rig)).atOnce === 2 ? true : undefined), {
    what: 'two verifications run',
    timeoutMs: 30_000,
  });
  await worker.stop();
  const { runs } = await asked(rig);
  expect(runs).toBe(3);
  expect(Object.values(await statuses(rig, run.id))).not.toContain('CLOSED');
  await landsLater(rig, { runId: run.id, done: 18, capacity: 12, idleProcessors });
  await rig.settled(run.id);
  await wasNeverUnproven(rig, run);
});
