import { expect, it } from 'vitest';
import { createRig, scripted } from '../helpers/rig.ts';

const gates = [
  {
    name: 'tests',
    command: ['sh', '-c', 'for f in test/*.test.sh; do sh "$f" || exit 1; done'],
    red_green: true,
  },
];
const files = { 'sum.sh': 'echo 3\n', 'test/sum.test.sh': '[ "$(sh sum.sh)" = 3 ]\n' };
const real = { 'twice.sh': 'echo 6\n', 'test/twice.test.sh': '[ "$(sh twice.sh)" = 6 ]\n' };
const empty = { 'twice.sh': 'echo 6\n', 'test/twice.test.sh': '[ "$(sh sum.sh)" = 3 ]\n' };

const plan = (steps: object[], more: object = {}) => ({
  ...{ name: 'red-green', gates, stages: [{ name: 'all', steps }] },
  ...more,
});

it('refuses work whose tests pass without it, says which, and lands the next try whose tests fail without it', async () => {
  await using rig = await createRig(files);
  const agent = scripted({ attempts: [[{ write: empty }], [{ write: real }]] });
  const { run } = await rig.submit(plan([{ key: 'twice', title: 'twice', agent }]));
  await rig.worker();
  await rig.settled(run.id);
  const task = (await rig.tasks(run.id)).get('twice');
  const [first, second] = await rig.store.tasks.attempts(task?.id ?? '');
  expect(first?.rejections).toEqual([
    expect.stringMatching(/^red-green: the tests .*\(test\/twice\.test\.sh\) pass without the rest/),
  ]);
  expect(second?.outcome).toBe('done');
  const verdict = (await rig.store.tasks.verdicts(task?.id ?? '')).at(-1);
  expect(verdict?.results.find(({ name }) => name === 'red-green')).toMatchObject({
    ...{ passed: true, required: true },
    reason: 'its tests are red without its work (tests)',
  });
});

it('asks neither work without tests nor tests without work, nor the role whose work is the tests', async () => {
  await using rig = await createRig(files);
  const writes = (what: Record<string, string>) => scripted({ steps: [{ write: what }] });
  const { run } = await rig.submit(
    plan([
      { key: 'no-tests', title: 'no tests', agent: writes({ 'doc.md': 'x\n' }) },
      { key: 'only-tests', title: 'only tests', agent: writes({ 'test/more.test.sh': 'true\n' }) },
      {
        ...{ key: 'by-qa', title: 'by qa', role: 'qa' },
        agent: writes({ 'test/other.test.sh': 'true\n', 'notes.md': 'y\n' }),
      },
    ]),
  );
  await rig.worker();
  await rig.settled(run.id);
  for (const { id } of (await rig.tasks(run.id)).values()) {
    const [verdict] = await rig.store.tasks.verdicts(id);
    expect(verdict?.results.map(({ name }) => name)).not.toContain('red-green');
  }
});

it.each([
  ['may be red', { allow_red: ['broken'] }, {}],
  ['is only advice', {}, { required: false }],
])('takes no gate for an answer that is red with the work, too: one that %s', async (_, allowed, of) => {
  await using rig = await createRig(files);
  const broken = { ...{ name: 'broken', command: ['false'], red_green: true }, ...of };
  const agent = scripted({ steps: [{ write: empty }] });
  const steps = [{ key: 'twice', title: 'twice', agent, max_retries: 0 }];
  const { run } = await rig.submit(plan(steps, { gates: [...gates, broken], ...allowed }));
  await rig.worker();
  await rig.settled(run.id, ['failed']);
  const task = (await rig.tasks(run.id)).get('twice');
  const [attempt] = await rig.store.tasks.attempts(task?.id ?? '');
  expect(attempt?.rejections.join()).toContain('red-green');
});

it('counts tests that cannot even be set up without the work as red', { tags: ['long'] }, async () => {
  await using rig = await createRig(files);
  const setup = ['sh', '-c', '[ ! -e test/twice.test.sh ] || test -e twice.sh'];
  const agent = scripted({ steps: [{ write: real }] });
  const { run } = await rig.submit(plan([{ key: 'twice', title: 'twice', agent }], { workspace: { setup } }));
  await rig.worker();
  await rig.settled(run.id);
  const task = (await rig.tasks(run.id)).get('twice');
  const verdict = (await rig.store.tasks.verdicts(task?.id ?? '')).at(-1);
  expect(verdict?.results.find(({ name }) => name === 'red-green')).toMatchObject({
    ...{ passed: true, reason: 'its tests are red without its work (set-up)' },
  });
});
