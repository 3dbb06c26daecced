import path from 'node:path';
import { until } from '@baton/testkit';
import { expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/rig.ts';
import { asked, landsLater, statuses, writing } from '../helpers/trains.ts';

const files = {
  'parts.csv': 'one\ntwo\n',
  'run-all.sh':
    'n=0\nwhile read -r part; do test -n "$part" || exit 1; n=$((n+1)); done < parts.csv\necho "$n passed in 0.1s"\n',
};
const gates = (rig: Rig) => [
  {
    name: 'tests',
    command: ['sh', '-c', `echo asked >> '${path.join(rig.stateDir, 'asked')}'; sh run-all.sh`],
  },
];
const drops = { agent: { command: ['sh', '-c', 'echo one > parts.csv; echo made > work.txt'] } };
const adds = { agent: { command: ['sh', '-c', 'echo three >> parts.csv; echo made > work.txt'] } };

const inStatus = (rig: Rig, { runId, wanted }: { runId: string; wanted: Record<string, string> }) =>
  until(
    async () => {
      const found = await statuses(rig, runId);
      return Object.entries(wanted).every(([key, status]) => found[key] === status) ? true : undefined;
    },
    { what: `tasks are ${JSON.stringify(wanted)}`, timeoutMs: 60_000 },
  );

async function checkOf(rig: Rig, { runId, key, name }: { runId: string; key: string; name: string }) {
  const task = (await rig.tasks(runId)).get(key);
  const verdict = (await rig.store.tasks.verdicts(task?.id ?? '')).at(-1);
  return verdict?.results.find((result) => result.name === name);
}

it('holds work with which a green gate ran fewer tests than on its head, with both counts, and asks the gate no more often', async () => {
  await using rig = await createRig(files);
  const step = () => drops;
  const { run } = await rig.submit(writing({ sly: '' }, { gates: gates(rig), step }));
  await rig.worker();
  await inStatus(rig, { runId: run.id, wanted: { sly: 'PENDING_APPROVAL' } });
  expect(await checkOf(rig, { runId: run.id, key: 'sly', name: 'tamper' })).toMatchObject({
    passed: false,
    reason: 'fewer tests run: gate tests says 1 passed, on the target 2 passed',
  });
  expect(await checkOf(rig, { runId: run.id, key: 'sly', name: 'tests' })).toMatchObject({
    tests: { passed: 1, skipped: 0 },
  });
  expect(await asked(rig), 'about the base, and about the work').toBe(2);
});

it('lands work with as many tests or more, and what drops tests by a role whose work they are', async () => {
  await using rig = await createRig(files);
  const step = (key: string) => (key === 'more' ? adds : { ...drops, role: 'qa', depends_on: ['more'] });
  const { run } = await rig.submit(writing({ more: '', fewer: '' }, { gates: gates(rig), step }));
  await rig.worker();
  await rig.settled(run.id);
  expect(await checkOf(rig, { runId: run.id, key: 'fewer', name: 'weakened' })).toMatchObject({
    reason: 'fewer tests run: gate tests says 1 passed, on the target 3 passed',
  });
  expect(await asked(rig)).toBe(3);
});

it('finds the one of a train that drops tests, and lands the others', async () => {
  await using rig = await createRig(files);
  const step = (key: string) => (key === 'sly' ? drops : {});
  const { run } = await rig.submit(writing({ a: 'x', sly: '', b: 'x' }, { gates: gates(rig), step }));
  await landsLater(rig, { runId: run.id, done: 3 });
  await inStatus(rig, {
    runId: run.id,
    wanted: { a: 'CLOSED', sly: 'PENDING_APPROVAL', b: 'CLOSED' },
  });
  expect(await rig.repo.git('show', `${run.target}:parts.csv`)).toBe('one\ntwo');
});
