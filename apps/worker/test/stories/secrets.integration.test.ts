import { expect, it } from 'vitest';
import { createRig } from '../helpers/rig.ts';

/** Ends with 1 where it finds a variable of the operator's that is a secret. */
const sees = 'env | grep -qE "^(STRIPE_API_KEY|DATABASE_URL)=" && exit 1; exit 0';
const blind = ['sh', '-c', sees] as const;

it("gives none of the operator's secrets to an agent, a set-up, a gate, a signal or what judges the base", async () => {
  await using rig = await createRig();
  const agent = { command: ['sh', '-c', `(${sees}) && env > seen.txt && cat seen.txt`] };
  const { run } = await rig.submit({
    name: 'secrets',
    workspace: { setup: blind },
    gates: [{ name: 'blind', command: blind }],
    stages: [
      {
        name: 'all',
        steps: ['first', 'second'].map((key) => ({
          ...{ key, title: key, agent, max_retries: 0 },
          signals: [{ type: 'command_succeeds', command: blind }],
        })),
      },
    ],
  });
  await rig.worker();
  await rig.settled(run.id, ['done', 'failed']);
  const tasks = await rig.tasks(run.id);
  const [first] = await rig.store.tasks.verdicts(tasks.get('first')?.id ?? '');
  expect(first?.results.filter(({ passed }) => !passed)).toEqual([]);
  expect(first?.results.map(({ name }) => name)).toEqual(expect.arrayContaining(['blind']));
  expect(await rig.repo.git('show', `${run.target}:seen.txt`)).toContain('PATH=');
});
